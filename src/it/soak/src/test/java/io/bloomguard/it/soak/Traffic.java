package io.bloomguard.it.soak;

import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Callers of all kinds, a thread each, until they are stopped. */
final class Traffic {

  /** What one caller does again and again. */
  interface Step extends AutoCloseable {

    void take(Random random) throws Exception;

    @Override
    default void close() throws IOException {}
  }

  private final Tally tally;
  private final long seed;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  Traffic(Tally tally, long seed) {
    this.tally = tally;
    this.seed = seed;
  }

  /**
   * Sends a caller.
   *
   * @param pause in milliseconds at most, between two steps
   */
  void send(String name, int pause, Step step) {
    Random random = new Random(seed + 1_000_003L * threads.size());
    Thread thread = new Thread(() -> run(name, pause, step, random), name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void run(String name, int pause, Step step, Random random) {
    try (step) {
      while (!stopped) {
        try {
          step.take(random);
        } catch (HttpTimeoutException e) {
          tally.wrong(name + ": no answer within " + Jvm.LONGEST_CALL);
        } catch (IOException e) {
          tally.count("no connection", name);
        }
        TimeUnit.MILLISECONDS.sleep(1 + random.nextInt(pause));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      tally.wrong(name + " failed: " + e);
    }
  }

  /** Returns once all have taken their last step. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join(Jvm.LONGEST_CALL.multipliedBy(2).toMillis());
      if (thread.isAlive()) {
        tally.wrong(thread.getName() + " could not be stopped");
      }
    }
  }
}
