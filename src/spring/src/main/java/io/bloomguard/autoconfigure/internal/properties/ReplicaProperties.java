package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.generation.internal.ReplicaSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The copy of a filter in Redis that each process may keep: what it has needs no round trip.
 *
 * @param enabled Whether each process keeps a copy of the filter.
 * @param maxSize The heap that the copy may take; a larger filter is not copied, but asked in
 *     Redis.
 * @param confirm What happens to a key that the copy does not have: always (Redis is asked before
 *     it is rejected) or when-stale-over (it is rejected, unless the copy is older than
 *     max-staleness; keys that other processes added within that time may be rejected).
 * @param maxStaleness How long ago the copy was last compared with Redis, at most, for it to
 *     answer; beyond it Redis is asked.
 */
public record ReplicaProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("256MB") DataSize maxSize,
    @DefaultValue("always") ReplicaSettings.Confirm confirm,
    @DefaultValue("500ms") Duration maxStaleness) {

  private static final Duration SHORTEST = Duration.ofMillis(10);

  /** The replica's settings, null for no replica. */
  public @Nullable ReplicaSettings settings() {
    return enabled ? new ReplicaSettings(maxSize.toBytes(), confirm, maxStaleness) : null;
  }

  void validate(String prefix, Backend where) {
    if (enabled && where != Backend.REDIS) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".enabled is true, but the filter's backend is '"
              + where
              + "', of which no copy is kept",
          "Leave it out, or use the backend 'redis'.");
    }
    if (maxSize.toBytes() < 1) {
      throw new InvalidBloomguardSettingException(
          prefix + ".max-size is " + maxSize + ", but must be positive",
          "Set it to the heap that the copy may take, such as 256MB.");
    }
    DurationRules.requirePositive(
        prefix + ".max-staleness", maxStaleness, "Set it to 10ms or more, such as 500ms.");
    if (maxStaleness.compareTo(SHORTEST) < 0) {
      throw new InvalidBloomguardSettingException(
          prefix + ".max-staleness is " + maxStaleness + ", but must be at least 10ms",
          "Set it to 10ms or more; 500ms is the default.");
    }
  }
}
