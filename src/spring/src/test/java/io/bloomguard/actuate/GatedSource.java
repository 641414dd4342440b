package io.bloomguard.actuate;

import io.bloomguard.generation.KeySource;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;

/** Yields {@code "first"}, then waits for {@link #open}, then yields {@code "second"}. */
final class GatedSource implements KeySource {

  private final CountDownLatch reading = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);

  @Override
  public void forEach(KeySink sink) throws InterruptedException {
    sink.accept("first");
    reading.countDown();
    gate.await();
    sink.accept("second");
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(2);
  }

  void awaitReading() throws InterruptedException {
    reading.await();
  }

  void open() {
    gate.countDown();
  }
}
