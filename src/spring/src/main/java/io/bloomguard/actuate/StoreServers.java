package io.bloomguard.actuate;

import java.util.List;

/** The servers that the filters' stores are connected to now. */
@FunctionalInterface
public interface StoreServers {

  /**
   * {@return each kind of server once; none while there is no connection} Connects to no server.
   */
  List<Server> servers();

  /**
   * A kind of server.
   *
   * @param name of its software, such as {@code redis} or {@code valkey}
   * @param version the version that the server reports, as text
   * @param certified whether the tests of this library pass on this version
   */
  record Server(String name, String version, boolean certified) {}
}
