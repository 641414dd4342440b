package io.bloomguard.generation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The board of a store that no other process shares: it remembers requests, the latest thousand.
 */
final class LocalBoard implements RebuildBoard {

  private static final int MOST = 1_000;

  private final LongSupplier ticker;
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<String, Requested> runs =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Requested> eldest) {
          return size() > MOST;
        }
      };

  /**
   * Remembers nothing yet.
   *
   * @param ticker nanoseconds that only go forward, such as {@code System::nanoTime}
   */
  LocalBoard(LongSupplier ticker) {
    this.ticker = ticker;
  }

  @Override
  public RebuildNews read() {
    return RebuildNews.NONE;
  }

  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void remember(String request, String run) {
    lock.lock();
    try {
      runs.put(request, new Requested(run, ticker.getAsLong()));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable String runOf(String request) {
    lock.lock();
    try {
      Requested known = runs.get(request);
      return known == null || ticker.getAsLong() - known.at() > MEMORY.toNanos()
          ? null
          : known.run();
    } finally {
      lock.unlock();
    }
  }

  private record Requested(String run, long at) {}
}
