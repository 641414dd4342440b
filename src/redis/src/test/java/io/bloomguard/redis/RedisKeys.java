package io.bloomguard.redis;

import io.lettuce.core.api.sync.BaseRedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.KeyListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;

/** The names of keys that a pattern matches, by a call that Lettuce 6 and 7 share. */
public final class RedisKeys {

  private RedisKeys() {}

  public static List<byte[]> like(BaseRedisCommands<byte[], byte[]> commands, String pattern) {
    return like(commands, ByteArrayCodec.INSTANCE, pattern);
  }

  public static List<String> textLike(BaseRedisCommands<String, String> commands, String pattern) {
    return like(commands, StringCodec.UTF8, pattern);
  }

  private static <K> List<K> like(
      BaseRedisCommands<K, K> commands, RedisCodec<K, K> codec, String pattern) {
    return commands.dispatch(
        CommandType.KEYS, new KeyListOutput<>(codec), new CommandArgs<>(codec).add(pattern));
  }
}
