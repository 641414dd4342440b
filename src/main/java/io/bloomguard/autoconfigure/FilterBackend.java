package io.bloomguard.autoconfigure;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.ReplicaSettings;
import io.bloomguard.generation.journal.JournalMemory;
import io.bloomguard.guard.CachePlan;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes the stores and caches of one {@link Backend}. One bean each. */
interface FilterBackend {

  Backend backend();

  /**
   * @param folding which keys are held equal
   * @param journalMemory bounds the journals of the filter
   * @param replica how this process keeps a copy of what lives elsewhere, null for none
   */
  GenerationStore store(
      String filter,
      FilterShape shape,
      KeyHash hash,
      KeyFolding folding,
      Duration journalRetention,
      JournalMemory journalMemory,
      @Nullable ReplicaSettings replica);

  /**
   * @param codec what turns values into bytes, null where they are kept as they are
   */
  ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec);
}
