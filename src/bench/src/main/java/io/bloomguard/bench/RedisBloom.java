package io.bloomguard.bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * A filter of RedisBloom in the Redis that {@code -Dbloomguard.test.redisbloom=host:port} names; no
 * artifact brings one along.
 */
final class RedisBloom implements AutoCloseable {

  static final String ADDRESS = System.getProperty("bloomguard.test.redisbloom", "");

  static final String WHY_NOT =
      "-Dbloomguard.test.redisbloom=host:port names no server with the module";

  private static final String KEY = BenchRedis.PREFIX;

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  /** An empty filter for n keys. */
  RedisBloom(int n) throws ExecutionException, InterruptedException {
    client = RedisClient.create(RedisURI.create("redis://" + ADDRESS));
    connection = client.connect();
    connection.sync().del(KEY);
    connection
        .async()
        .dispatch(
            Command.RESERVE, new StatusOutput<>(StringCodec.UTF8), args().add(BenchRedis.P).add(n))
        .get();
  }

  static boolean isThere() {
    return !ADDRESS.isEmpty();
  }

  boolean exists(String key) throws ExecutionException, InterruptedException {
    return connection
            .async()
            .dispatch(Command.EXISTS, new IntegerOutput<>(StringCodec.UTF8), args().addValue(key))
            .get()
        == 1;
  }

  List<Object> existAll(List<String> keys) throws ExecutionException, InterruptedException {
    return send(Command.EXIST_ALL, keys).get();
  }

  Future<List<Object>> addAll(List<String> keys) {
    return send(Command.ADD_ALL, keys);
  }

  private Future<List<Object>> send(Command command, List<String> keys) {
    return connection
        .async()
        .dispatch(command, new ArrayOutput<>(StringCodec.UTF8), args().addValues(keys));
  }

  private static CommandArgs<String, String> args() {
    return new CommandArgs<>(StringCodec.UTF8).addKey(KEY);
  }

  @Override
  public void close() {
    connection.sync().del(KEY);
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private enum Command implements ProtocolKeyword {
    RESERVE("BF.RESERVE"),
    EXISTS("BF.EXISTS"),
    EXIST_ALL("BF.MEXISTS"),
    ADD_ALL("BF.MADD");

    private final byte[] name;

    Command(String name) {
      this.name = name.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public byte[] getBytes() {
      return name;
    }
  }
}
