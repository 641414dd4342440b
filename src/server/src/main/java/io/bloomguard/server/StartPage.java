package io.bloomguard.server;

import io.bloomguard.console.internal.Console;
import io.bloomguard.console.internal.ConsolePage;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/** The root of the server's port, which leads to the console where this port serves it. */
@Controller
class StartPage {

  private static final String ROOT = "/";

  private final ObjectProvider<ConsolePage> console;

  StartPage(ObjectProvider<ConsolePage> console) {
    this.console = console;
  }

  @GetMapping(ROOT)
  ResponseEntity<Void> toConsole() throws NoResourceFoundException {
    if (console.getIfAvailable() == null) {
      throw new NoResourceFoundException(HttpMethod.GET, ROOT, ROOT);
    }
    // Relative, so that it holds behind a proxy and under a context path.
    String page = Console.PATH.substring(1) + "/";
    return ResponseEntity.status(HttpStatus.FOUND).header(HttpHeaders.LOCATION, page).build();
  }
}
