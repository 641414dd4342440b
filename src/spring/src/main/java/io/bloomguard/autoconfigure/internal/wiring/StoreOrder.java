package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.ReplicaSettings;
import io.bloomguard.generation.internal.journal.JournalMemory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The input from which a backend makes the store of one filter.
 *
 * @param filter the filter's name
 * @param shape its configured dimensions
 * @param properties all its settings
 * @param journalMemory bounds its journals
 */
public record StoreOrder(
    String filter, FilterShape shape, FilterProperties properties, JournalMemory journalMemory) {

  /** Which keys are held equal. */
  public KeyFolding folding() {
    return properties.keys().folding();
  }

  public Duration journalRetention() {
    return properties.rebuild().journalRetention();
  }

  /** How this process keeps a copy of what lives elsewhere, null for none. */
  public @Nullable ReplicaSettings replica() {
    return properties.replica().settings();
  }
}
