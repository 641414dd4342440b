package io.bloomguard.it.attacks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.embedded.RedisServer;

/** A Redis of its own for each test. */
final class RealRedis implements AutoCloseable {

  private final int port = freePort();
  private final RedisServer server;
  private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));

  RealRedis() throws IOException {
    server =
        RedisServer.builder()
            .port(port)
            .bind("127.0.0.1")
            .setting("save \"\"")
            .setting("appendonly no")
            .build();
    server.start();
  }

  int port() {
    return port;
  }

  RedisCommands<String, String> commands() {
    return client.connect().sync();
  }

  /** The arguments of applications that share it. */
  List<String> arguments() {
    return new ArrayList<>(
        List.of(
            "--spring.data.redis.host=127.0.0.1",
            "--spring.data.redis.port=" + port,
            "--bloomguard.backend=redis",
            // A machine under test is slow at times, and an answer is what is tested here.
            "--bloomguard.redis.command-timeout=2s"));
  }

  void stop() {
    server.stop();
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    stop();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
