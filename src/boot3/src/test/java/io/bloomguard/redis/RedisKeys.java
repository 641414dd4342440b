package io.bloomguard.redis;

import io.lettuce.core.api.sync.RedisKeyCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The names of keys that a pattern matches; Lettuce 6 takes the pattern as a key. */
public final class RedisKeys {

  private RedisKeys() {}

  public static List<byte[]> like(RedisKeyCommands<byte[], byte[]> commands, String pattern) {
    return commands.keys(pattern.getBytes(StandardCharsets.UTF_8));
  }
}
