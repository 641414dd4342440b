package io.bloomguard.redis.internal.client;

import java.util.List;
import java.util.Map;

/**
 * The name and version of a server's software, as its {@code INFO server} has them.
 *
 * <p>Servers that stem from Redis keep {@code redis_version}, for the Redis that they are
 * compatible with, and have a field of their own beside it.
 *
 * @param name in lower case, such as {@code valkey}
 * @param version such as {@code 8.1.1}; {@code unknown} if the server does not tell it
 */
public record ServerVersion(String name, String version) {

  /** The servers and minor versions on which the Redis suite and the short faults have passed. */
  static final List<String> CERTIFIED =
      List.of("redis 7.0", "redis 8.6", "valkey 8.1", "valkey 9.1");

  private static final List<String> KIN = List.of("valkey", "redict", "dragonfly", "kvrocks");

  /**
   * The server that gave this answer.
   *
   * @param server the fields of {@code INFO server}
   */
  static ServerVersion of(Map<String, String> server) {
    for (String name : KIN) {
      String version = server.get(name + "_version");
      if (version != null) {
        return new ServerVersion(name, version);
      }
    }
    // KeyDB does not give its name; Redis has no such field.
    String unnamed = server.containsKey("features") ? "keydb" : "redis";
    return new ServerVersion(
        server.getOrDefault("server_name", unnamed),
        server.getOrDefault("redis_version", "unknown"));
  }

  /** Whether this server is one of those; patch versions do not count. */
  public boolean certified() {
    String[] numbers = version.split("\\.", 3);
    return numbers.length > 1 && CERTIFIED.contains(name + " " + numbers[0] + "." + numbers[1]);
  }
}
