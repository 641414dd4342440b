package io.bloomguard.it.soak;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.bloomguard.it.support.RespClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The keys in Redis that stay. */
final class RedisKeys {

  private RedisKeys() {}

  /**
   * How many keys there are of each kind (what they are named without numbers) that do not end by
   * themselves within {@code longest}.
   */
  static Map<String, Integer> beyond(int port, Duration longest) throws IOException {
    Map<String, Integer> kinds = new TreeMap<>();
    try (RespClient redis = new RespClient(port)) {
      Object cursor = "0";
      do {
        List<?> page = (List<?>) redis.call("SCAN", cursor, "COUNT", 1_000);
        cursor = page.get(0);
        for (Object key : (List<?>) page.get(1)) {
          String name = (String) key;
          long left = (Long) redis.call("PTTL", name.getBytes(ISO_8859_1));
          if (left == -1 || left > longest.toMillis()) {
            kinds.merge(name.replaceAll("[0-9a-f]{8,}|\\d+", "#"), 1, Integer::sum);
          }
        }
      } while (!cursor.equals("0"));
    }
    return kinds;
  }
}
