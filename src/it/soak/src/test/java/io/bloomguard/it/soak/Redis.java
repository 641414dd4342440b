package io.bloomguard.it.soak;

import io.lettuce.core.KeyScanArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import redis.embedded.RedisExecProvider;

/** A Redis process that may be slowed, stopped and killed. */
final class Redis implements AutoCloseable {

  private final int port;
  private final Path folder = Files.createDirectories(Processes.folder().resolve("redis"));
  private final RedisClient client;
  private Process process;

  Redis() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    client =
        RedisClient.create(
            RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withTimeout(Duration.ofSeconds(10))
                .build());
    Files.write(
        folder.resolve("redis.conf"),
        List.of("port " + port, "bind 127.0.0.1", "dir " + folder, "save \"\"", "appendonly no"));
    deleteDump();
    start();
  }

  int port() {
    return port;
  }

  /** Starts it from whatever lies in its folder. */
  void start() throws Exception {
    String program = RedisExecProvider.defaultProvider().get().getAbsolutePath();
    process =
        Processes.start(
            folder.resolve("redis.log"), List.of(program, folder.resolve("redis.conf").toString()));
    // Not PING: another process may have taken the port meanwhile.
    String own = "process_id:" + process.pid() + "\r";
    Wait.upTo(20, "Redis on port " + port, () -> info().contains(own));
  }

  private String info() {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return connection.sync().info("server");
    }
  }

  /** Answers nothing for that long. */
  void pause(Duration time) {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().clientPause(time.toMillis());
    }
  }

  void save() {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().save();
    }
  }

  void delete(String key) {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().del(key);
    }
  }

  void deleteDump() throws IOException {
    Files.deleteIfExists(folder.resolve("dump.rdb"));
  }

  void kill() throws InterruptedException {
    Processes.kill(process);
  }

  void stop() throws Exception {
    Processes.signal(process, "STOP");
  }

  void resume() throws Exception {
    Processes.signal(process, "CONT");
  }

  /**
   * How many keys there are of each kind (what they are named without numbers) that do not end by
   * themselves within {@code longest}.
   */
  Map<String, Integer> keysBeyond(Duration longest) {
    Map<String, Integer> kinds = new TreeMap<>();
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      RedisCommands<String, String> redis = connection.sync();
      ScanIterator<String> keys = ScanIterator.scan(redis, KeyScanArgs.Builder.limit(1_000));
      while (keys.hasNext()) {
        String key = keys.next();
        long left = redis.pttl(key);
        if (left == -1 || left > longest.toMillis()) {
          kinds.merge(key.replaceAll("[0-9a-f]{8,}|\\d+", "#"), 1, Integer::sum);
        }
      }
    }
    return kinds;
  }

  @Override
  public void close() throws Exception {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    kill();
  }
}
