package io.bloomguard.it.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** nginx, with {@code auth_request}. */
class NginxTest extends ProxyContractTest {

  @Override
  String program() {
    return "nginx";
  }

  @Override
  List<String> files() {
    return List.of("nginx.conf");
  }

  /** The file is one of those that nginx' own configuration includes. */
  @Override
  Path configured(Path folder, Path file) throws IOException {
    try (InputStream alone = NginxTest.class.getResourceAsStream("/nginx-alone.conf")) {
      String text = new String(alone.readAllBytes(), StandardCharsets.UTF_8);
      return Files.writeString(
          folder.resolve("all.conf"), text.replace("FOLDER", folder.toString()));
    }
  }

  @Override
  List<String> command(Path program, Path configuration) {
    return List.of(program.toString(), "-e", "stderr", "-c", configuration.toString());
  }
}
