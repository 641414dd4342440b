package io.bloomguard.redis.internal.generation;

import io.bloomguard.redis.internal.build.BuildOrigin;
import io.bloomguard.redis.internal.build.RedisRebuildStatusStore;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.partition.Clocks;
import io.bloomguard.redis.internal.partition.RecoverySettings;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What all hash schemes of a filter have in common in this process.
 *
 * @param clocks of the copy's leases
 * @param refill no source until one is set, and so no rebuild
 */
public record FilterParts(
    RedisFilter filter,
    Limits limits,
    Clocks clocks,
    RedisEnforcement enforcement,
    RedisRebuildStatusStore board,
    AtomicReference<RecoverySettings.Refill> refill) {

  public static FilterParts of(RedisFilter filter, Limits limits, Clocks clocks) {
    return new FilterParts(
        filter,
        limits,
        clocks,
        filter.enforcement(),
        new RedisRebuildStatusStore(filter.name(), filter.connections(), filter.root()),
        new AtomicReference<>(new RecoverySettings.Refill(false, since -> {})));
  }

  /** That of builds here, whose source is not known. */
  BuildOrigin origin() {
    return BuildOrigin.of(filter.configured(), filter.journalRetention());
  }
}
