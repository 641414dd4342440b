package io.bloomguard.it.attacks.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Threads that ask for one thing at the same time.
 *
 * <p>Whoever loads is held back until the gate opens, and the herd is complete once each of its
 * threads waits: for another's load, or at the gate. So all of them are there at once, whatever the
 * machine's speed.
 */
final class Herd {

  private static final int STACK_BYTES = 256 * 1024;
  private static final long PATIENCE_SECONDS = 120;

  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger loads = new AtomicInteger();
  private final AtomicInteger right = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * Sends {@code size} threads.
   *
   * @param ask asks for the thing, with a way to load it
   * @param thing what each must be given
   */
  Herd(int size, String thing, Function<Supplier<String>, String> ask) {
    Supplier<String> load =
        () -> {
          loads.incrementAndGet();
          pass();
          return thing;
        };
    for (int i = 0; i < size; i++) {
      Thread thread = new Thread(null, () -> ask(ask, load, thing), "herd", STACK_BYTES);
      threads.add(thread);
      thread.start();
    }
  }

  private void ask(Function<Supplier<String>, String> ask, Supplier<String> load, String thing) {
    try {
      if (thing.equals(ask.apply(load))) {
        right.incrementAndGet();
      }
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }

  private void pass() {
    try {
      if (!gate.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("The gate did not open");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns once every thread waits or has its answer. */
  void awaitComplete() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    List<Thread> coming = new ArrayList<>(threads);
    while (!coming.isEmpty()) {
      coming.removeIf(Herd::hasCome);
      if (System.nanoTime() > end) {
        throw new IllegalStateException(
            coming.size() + " do not wait: " + Arrays.toString(coming.get(0).getStackTrace()));
      }
      Thread.sleep(20);
    }
  }

  /** Waits, but not for an answer of Redis: that it would get while all others still come. */
  private static boolean hasCome(Thread thread) {
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING ->
          Arrays.stream(thread.getStackTrace())
              .map(StackTraceElement::getClassName)
              .noneMatch(name -> name.contains("lettuce") || name.contains("bloomguard.redis"));
      case TERMINATED -> true;
      default -> false;
    };
  }

  void open() {
    gate.countDown();
  }

  /** Waits for all answers: how many loads there were, and how many right answers. */
  String result() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    }
    Throwable failed = failure.get();
    return loads
        + " "
        + right
        + " "
        + (failed == null ? "-" : failed.toString().replace('\n', ' '));
  }
}
