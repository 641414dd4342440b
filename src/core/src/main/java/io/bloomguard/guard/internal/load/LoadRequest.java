package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import org.jspecify.annotations.Nullable;

/**
 * One caller's request for one key.
 *
 * @param key folded canonical text
 * @param queues whether it may queue for the bulkhead
 * @param joins whether callers at one time share a load although no value of the type is kept
 * @param cache the value cache, {@linkplain ValueCache#ofCall for this call}
 * @param passedBy the filter that passed the key, told of a stored null entry; null for none
 */
public record LoadRequest<V>(
    String key,
    ValueType<V> type,
    boolean queues,
    boolean joins,
    GuardListener listener,
    ValueCache cache,
    @Nullable GuardedFilter passedBy) {

  /** This request for a load that can be left out: it does not queue. */
  LoadRequest<V> refreshing() {
    return new LoadRequest<>(key, type, false, joins, listener.ofRefreshes(), cache, passedBy);
  }
}
