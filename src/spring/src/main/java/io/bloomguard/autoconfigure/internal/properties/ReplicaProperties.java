package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.generation.internal.ReplicaSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The copy of a filter in Redis that each process keeps: while it holds a lease, it answers without
 * a round trip, and inserts of other processes wait for it.
 *
 * @param enabled Whether each process keeps a copy of the filter. By default it does if the
 *     filter's backend is redis, the layout can be copied, and there is room.
 * @param maxSize The heap that the copy may take; a larger filter is not copied, but asked in
 *     Redis.
 * @param lease How long the copy answers after its last comparison with Redis. An insert waits for
 *     a process that has stopped for as long. From 100ms to 1500ms.
 */
public record ReplicaProperties(
    @Nullable Boolean enabled,
    @DefaultValue("256MB") DataSize maxSize,
    @DefaultValue("1s") Duration lease) {

  /** Whether a copy is asked for. */
  public boolean required() {
    return Boolean.TRUE.equals(enabled);
  }

  /** Whether a copy is ruled out. */
  public boolean refused() {
    return Boolean.FALSE.equals(enabled);
  }

  /** The settings of a copy that may take so many bytes. */
  public ReplicaSettings settings(long maxBytes) {
    return new ReplicaSettings(maxBytes, lease);
  }
}
