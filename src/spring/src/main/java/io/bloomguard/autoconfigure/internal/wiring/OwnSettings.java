package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.generation.internal.journal.JournalMemory;
import java.util.Map;
import java.util.Objects;

/** The settings of filters that only backends of our own have, and the heap that these share. */
public final class OwnSettings {

  private final Map<String, FilterProperties> filters;
  private final JournalMemory journals =
      JournalMemory.ofAll(
          "all filters (a quarter of the heap)", Runtime.getRuntime().maxMemory() / 4);

  public OwnSettings(BloomguardProperties properties) {
    this.filters = properties.filters();
  }

  /** All settings of a filter. */
  public FilterProperties of(String filter) {
    return Objects.requireNonNull(filters.get(filter));
  }

  /** How the filter keeps the claims on adds. */
  public ClaimSettings claims(String filter) {
    return of(filter).claims().settings(filter);
  }

  /** The bound on the journals of the filter. */
  public JournalMemory journal(StoreOrder order) {
    return journals.ofFilter(JournalMemory.property(order.filter()), order.journalBytes());
  }
}
