package io.bloomguard.bench.attack;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import redis.embedded.RedisExecProvider;
import redis.embedded.RedisServer;
import redis.embedded.RedisServerBuilder;
import redis.embedded.util.OS;

/**
 * The programs of Redis and PostgreSQL, unpacked once. A program that is being written cannot run
 * ("Text file busy"), and a process that another thread starts meanwhile holds it open.
 */
public final class ServerPrograms {

  private static final String REDIS = unpackedRedis();

  private ServerPrograms() {}

  /** Unpacks them, before threads start processes. */
  public static void unpack() throws IOException {
    EmbeddedPostgres.builder().start().close();
  }

  /** A Redis that listens to 127.0.0.1, to be started. */
  public static RedisServerBuilder redis(int port) {
    RedisExecProvider provider = RedisExecProvider.defaultProvider();
    for (OS os : OS.values()) {
      provider.override(os, REDIS);
    }
    return RedisServer.builder().redisExecProvider(provider).port(port).bind("127.0.0.1");
  }

  private static String unpackedRedis() {
    try {
      return RedisExecProvider.defaultProvider().get().getAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
