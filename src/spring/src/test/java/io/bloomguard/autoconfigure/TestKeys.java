package io.bloomguard.autoconfigure;

import io.bloomguard.generation.KeySource;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A source that counts its scans; without keys unless it is given some. */
public class TestKeys implements KeySource {

  private final KeySource keys;
  public final AtomicInteger scans = new AtomicInteger();

  public TestKeys() {
    this(sink -> {});
  }

  public TestKeys(KeySource keys) {
    this.keys = keys;
  }

  /** One that yields keys until its thread is interrupted or its build is cancelled. */
  public static TestKeys endless(CountDownLatch reading) {
    return new TestKeys(
        sink -> {
          for (long key = 0; ; key++) {
            sink.accept(key);
            reading.countDown();
            if (Thread.interrupted()) {
              throw new InterruptedException();
            }
          }
        });
  }

  @Override
  public void forEach(KeySink sink) throws Exception {
    scans.incrementAndGet();
    keys.forEach(sink);
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.empty();
  }
}
