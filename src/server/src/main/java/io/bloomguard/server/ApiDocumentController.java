package io.bloomguard.server;

import java.io.IOException;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The description of the membership API in OpenAPI 3.1, for tools that generate clients or
 * configure gateways. It says nothing of this server's filters, so every caller may read it.
 */
@RestController
class ApiDocumentController {

  static final String PATH = "/v1/openapi.yaml";

  private final byte[] document;

  ApiDocumentController() throws IOException {
    this.document =
        new ClassPathResource("openapi.yaml", ApiDocumentController.class).getContentAsByteArray();
  }

  @GetMapping(path = PATH, produces = MediaType.APPLICATION_YAML_VALUE)
  byte[] document() {
    return document;
  }
}
