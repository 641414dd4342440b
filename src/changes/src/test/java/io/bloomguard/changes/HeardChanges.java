package io.bloomguard.changes;

import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeReceiver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Hears what a filter would. */
public final class HeardChanges implements ChangeReceiver, ChangeReceiver.Reading {

  public final List<Change> changes = new CopyOnWriteArrayList<>();

  /** The transactions of the changes, empty where they are not told. */
  public final Map<Change, Optional<String>> transactions = new ConcurrentHashMap<>();

  public final List<String> begins = new CopyOnWriteArrayList<>();
  public volatile @Nullable String position;
  public volatile @Nullable String why;
  public volatile boolean refuses;
  public volatile int completed;
  public volatile Duration age = Duration.ZERO;

  /** The moment up to which everything is known to be applied. */
  public volatile long completeUntil;

  public volatile long retained = -1;

  private volatile int allowed = Integer.MAX_VALUE;
  private volatile CountDownLatch gate = new CountDownLatch(0);

  /** Has the next batch wait for the end of what is returned. */
  public CountDownLatch hold() {
    gate = new CountDownLatch(1);
    return gate;
  }

  /** Refuses the batch that would make it more changes, and all later ones. */
  public void refuseAfter(int changesAllowed) {
    allowed = changesAllowed;
  }

  @Override
  public Reading begin() {
    return this;
  }

  @Override
  public void failed(String reason) {
    why = reason;
  }

  @Override
  public void retains(long bytes) {
    retained = bytes;
  }

  @Override
  public @Nullable String position() {
    return position;
  }

  @Override
  public void beginAt(String at) {
    begins.add(at);
    position = at;
  }

  @Override
  public void apply(List<Change> batch, String to) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    if (changes.size() + batch.size() > allowed && !changes.isEmpty()) {
      refuses = true;
      allowed = Integer.MAX_VALUE;
    }
    if (refuses) {
      throw new IllegalStateException("quotes a key");
    }
    batch.forEach(change -> changes.add(change.of(null)));
    batch.forEach(
        change -> transactions.put(change.of(null), Optional.ofNullable(change.transaction())));
    position = to;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread
  public void complete(Duration since) {
    age = since;
    completeUntil = System.nanoTime() - since.toNanos();
    completed++;
  }
}
