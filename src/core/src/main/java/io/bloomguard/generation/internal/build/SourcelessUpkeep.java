package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.internal.FilterSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upkeep of a filter without a source: it serves an empty first generation if it is configured
 * to hold only added keys, and otherwise none of its own.
 */
final class SourcelessUpkeep implements Upkeep {

  private static final Logger log = LoggerFactory.getLogger(SourcelessUpkeep.class);

  private static final String NO_SOURCE =
      "It has no source and nothing serves, so every key is UNKNOWN and nothing is rejected: set"
          + " a source, such as bloomguard.filters.%1$s.source.jdbc.query, or"
          + " bloomguard.filters.%1$s.source.added-only: true if it holds only added keys";

  private final FilterSettings settings;
  private final FilterStore store;
  private final BuildAttempts attempts;
  private final Outgrowth outgrowth;
  private volatile boolean emptyIsDue;

  SourcelessUpkeep(
      FilterSettings settings, FilterStore store, BuildAttempts attempts, Outgrowth outgrowth) {
    this.settings = settings;
    this.store = store;
    this.attempts = attempts;
    this.outgrowth = outgrowth;
    this.emptyIsDue = settings.sourceRules().addedOnly();
  }

  @Override
  public void prepare() {
    if (emptyIsDue) {
      store.prepare();
    }
  }

  @Override
  public void start() {
    serveEmpty();
    for (String warning : warnings()) {
      log.warn("Filter '{}': {}", settings.name(), warning);
    }
  }

  @Override
  public @Nullable FilterStatus maintain() {
    if (!attempts.isNextDue()) {
      return null;
    }
    FilterStatus status = store.status();
    outgrowth.warnOf(status);
    serveEmpty();
    return status;
  }

  private void serveEmpty() {
    if (!emptyIsDue) {
      return;
    }
    try {
      store.serveEmpty(settings.shape());
      // Once only: a second empty generation would deny the keys that were added to the first.
      emptyIsDue = false;
      attempts.ended(null);
    } catch (RuntimeException e) {
      attempts.failed(e);
    }
  }

  /** No warning for a generation that another process built in the store: it serves here too. */
  @Override
  public List<String> warnings() {
    boolean lacksSource =
        !settings.sourceRules().addedOnly() && store.status().state() == FilterState.EMPTY;
    return lacksSource ? List.of(NO_SOURCE.formatted(settings.name())) : List.of();
  }
}
