package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.FilterSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The growth of one filter beyond its configured size, which is logged once for each generation.
 * Used by one thread at a time.
 */
final class Outgrowth {

  private static final Logger log = LoggerFactory.getLogger(Outgrowth.class);

  private final FilterSettings settings;
  private final FilterStore store;
  private final ResizePolicy resizing;

  /** The generation whose excess over the expected insertions was logged. */
  private long oversized;

  /** The generation for which the lack of a larger shape was logged. */
  private long largest;

  Outgrowth(FilterSettings settings, FilterStore store, ResizePolicy resizing) {
    this.settings = settings;
    this.store = store;
    this.resizing = resizing;
  }

  /** Warns of a filter that holds more keys than are expected. */
  void warnOf(FilterStatus status) {
    if (status.generation() == oversized) {
      return;
    }
    long keysRead = store instanceof GenerationStore built ? built.keysRead() : 0;
    long wanted = resizing.outgrownTo(status, keysRead);
    if (wanted > 0) {
      oversized = status.generation();
      log.warn(
          "Filter '{}': it holds about {} keys, more than the {} of"
              + " bloomguard.filters.{}.expected-insertions: set that to {}",
          settings.name(),
          status.estimatedElements(),
          settings.expectedInsertions(),
          settings.name(),
          wanted);
    }
  }

  /** Whether the serving generation is too full, and a larger shape would help. */
  boolean canGrow(FilterStatus status, BuildHistory history) {
    if (status.fillRatio() <= settings.atFill()) {
      return false;
    }
    if (resizing.next(status, true, history.keysReported()).bits() > status.shape().bits()) {
      return true;
    }
    if (largest != status.generation()) {
      largest = status.generation();
      log.warn(
          "Filter '{}': fill ratio {} is past {}, but there is no larger shape",
          settings.name(),
          status.fillRatio(),
          settings.atFill());
    }
    return false;
  }
}
