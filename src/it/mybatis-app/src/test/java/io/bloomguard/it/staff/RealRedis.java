package io.bloomguard.it.staff;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.test.context.DynamicPropertyRegistry;
import redis.embedded.RedisServer;

/** A Redis for all tests of this process, which ends with it. */
final class RealRedis {

  private static final AtomicInteger PREFIXES = new AtomicInteger();
  private static final int PORT = start();

  private RealRedis() {}

  /** Gives a context a corner of Redis of its own. */
  static void register(DynamicPropertyRegistry registry) {
    String prefix = "it" + PREFIXES.incrementAndGet();
    registry.add("bloomguard.backend", () -> "redis");
    registry.add("bloomguard.hash-secret", () -> "000102030405060708090a0b0c0d0e0f");
    registry.add("bloomguard.redis.key-prefix", () -> prefix);
    // A machine under test is slow at times, and an answer is what is tested here.
    registry.add("bloomguard.redis.command-timeout", () -> "2s");
    registry.add("spring.data.redis.host", () -> "127.0.0.1");
    registry.add("spring.data.redis.port", () -> PORT);
  }

  private static int start() {
    try {
      int port = freePort();
      RedisServer redis =
          RedisServer.builder()
              .port(port)
              .bind("127.0.0.1")
              .setting("save \"\"")
              .setting("appendonly no")
              .build();
      redis.start();
      Runtime.getRuntime().addShutdownHook(new Thread(redis::stop));
      return port;
    } catch (IOException e) {
      throw new UncheckedIOException("Redis did not start", e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
