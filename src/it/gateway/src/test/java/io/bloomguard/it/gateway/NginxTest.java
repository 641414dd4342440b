package io.bloomguard.it.gateway;

import java.io.IOException;
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
    return Files.writeString(
        folder.resolve("all.conf"),
        """
        daemon off;
        master_process off;
        pid %1$s/pid;
        error_log stderr;
        events {}
        http {
          access_log off;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          include %2$s;
        }
        """
            .formatted(folder, file));
  }

  @Override
  List<String> command(Path program, Path configuration) {
    return List.of(program.toString(), "-e", "stderr", "-c", configuration.toString());
  }
}
