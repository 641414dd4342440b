package io.bloomguard.it.gateway;

import java.nio.file.Path;
import java.util.List;

/** Caddy, with {@code forward_auth}. */
class CaddyTest extends ProxyContractTest {

  @Override
  String program() {
    return "caddy";
  }

  @Override
  List<String> files() {
    return List.of("Caddyfile");
  }

  @Override
  List<String> command(Path program, Path configuration) {
    return List.of(
        program.toString(), "run", "--config", configuration.toString(), "--adapter", "caddyfile");
  }
}
