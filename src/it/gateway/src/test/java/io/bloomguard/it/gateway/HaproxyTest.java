package io.bloomguard.it.gateway;

import java.nio.file.Path;
import java.util.List;

/** HAProxy, with an action in Lua. */
class HaproxyTest extends ProxyContractTest {

  @Override
  String program() {
    return "haproxy";
  }

  @Override
  List<String> files() {
    return List.of("haproxy.cfg", "authorise.lua");
  }

  @Override
  List<String> command(Path program, Path configuration) {
    return List.of(program.toString(), "-f", configuration.toString());
  }
}
