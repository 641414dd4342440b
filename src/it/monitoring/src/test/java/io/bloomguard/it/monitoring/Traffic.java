package io.bloomguard.it.monitoring;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

/** Somebody who asks for products, and for many more that do not exist, until told to stop. */
final class Traffic implements AutoCloseable {

  private static final int PRODUCTS = 100_000;
  private static final long ABSENT = 1_000_000_000;
  private static final int BATCH = 1_000;

  private final URI server;
  private final Random random = new Random(42);
  private final Thread thread = new Thread(this::run, "traffic");
  private volatile boolean stopped;
  private volatile Exception failure;

  Traffic(URI server) {
    this.server = server;
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!stopped) {
        for (int i = 0; i < 5; i++) {
          Json.get(server.resolve("/api/products/" + (1 + random.nextInt(PRODUCTS))));
          Json.get(server.resolve("/api/products/" + (ABSENT + random.nextInt(PRODUCTS))));
        }
        List<String> keys =
            LongStream.generate(() -> ABSENT + random.nextInt(PRODUCTS))
                .limit(BATCH)
                .mapToObj(Long::toString)
                .toList();
        Json.post(server.resolve("/v1/filters/products/check"), Map.of("keys", keys));
      }
    } catch (IOException | InterruptedException e) {
      failure = e;
    }
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw new IllegalStateException("Traffic ended early", failure);
    }
  }
}
