package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The sink that adds the keys of one reading of recent rows to a store, batch by batch.
 *
 * <p>Keys that break the rules are skipped: no caller can ask for them, and one such row must not
 * prevent the adds of others.
 */
final class IncrementalSink extends CanonicalSink {

  private static final int BATCH = 1_024;

  /** The most keys that are remembered; others are added each time they are read. */
  private static final int MOST_KEYS = 100_000;

  private final GenerationStore store;
  private final Set<String> known;
  private final Set<String> keys = new HashSet<>();
  private final List<String> fresh = new ArrayList<>();
  private final List<String> again = new ArrayList<>();
  private int added;
  private long refused;
  private @Nullable InvalidKeyException firstRefusal;
  private @Nullable RuntimeException failure;

  /**
   * A sink for one reading.
   *
   * @param known the keys that the reading before has added
   */
  IncrementalSink(
      FilterSettings settings, GenerationStore store, Set<String> known, SourceThreads threads) {
    super(settings, settings.sourceRules().stall(), threads);
    this.store = store;
    this.known = known;
  }

  @Override
  void take(String key) {
    if (failure != null) {
      throw failure;
    }
    if (reading.isEnded() || Thread.currentThread().isInterrupted()) {
      throw new CancellationException("The reading of recent keys was cancelled");
    }
    rules.require(key);
    // A false positive is no addition: the removal of another key may end it.
    (known.contains(key) && !store.removes() ? again : fresh).add(key);
    if (keys.size() < MOST_KEYS) {
      keys.add(key);
    }
    if (fresh.size() == BATCH || again.size() == BATCH) {
      flush();
    }
  }

  @Override
  void refuse(InvalidKeyException rule) {
    refused++;
    if (firstRefusal == null) {
      firstRefusal = rule;
    }
  }

  private void flush() {
    try {
      if (!again.isEmpty()) {
        Membership[] answers = store.checkAll(again);
        for (int i = 0; i < answers.length; i++) {
          if (answers[i] != Membership.POSSIBLY_PRESENT) {
            fresh.add(again.get(i));
          }
        }
        again.clear();
      }
      if (!fresh.isEmpty()) {
        added += store.addAll(List.copyOf(fresh));
        fresh.clear();
      }
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  /** Adds all keys. Rethrows an exception that a source should not have caught. */
  @Override
  void read(KeySource source, @Nullable Duration atMost) throws Exception {
    super.read(source, atMost);
    if (failure != null) {
      throw failure;
    }
    flush();
  }

  /** The number of keys that were not in the serving generation. */
  int added() {
    return added;
  }

  /** The keys that were read, as far as they are remembered. */
  Set<String> keys() {
    return keys;
  }

  /** The number of keys that broke the rules, with the first rule; null for none. */
  @Nullable String refusal() {
    return firstRefusal == null
        ? null
        : refused + " keys are refused, the first one thus: " + firstRefusal.getMessage();
  }

  /** Whether the store stopped the reading, not the source. */
  boolean storeFailed() {
    return failure != null;
  }
}
