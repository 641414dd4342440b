package io.bloomguard.guard.internal.writes;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyWrites;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The removals of keys from one filter: of each row once in a unit of work. */
final class FilterRemovals {

  private static final Logger LOG = LoggerFactory.getLogger(FilterRemovals.class);

  private final String filter;
  private final MembershipStore store;
  private final KeyFolding folding;
  private final Transactions transactions;
  private final Outage outage;
  private final RemovalUnits units;

  FilterRemovals(GuardedFilter filter, Transactions transactions, RemovalUnits units) {
    this.filter = filter.name();
    this.store = filter.store();
    this.folding = filter.folding();
    this.transactions = transactions;
    this.units = units;
    this.outage = new Outage(System::nanoTime);
  }

  /**
   * Begins a removal within the unit of work of the calling thread.
   *
   * @param stamp of the generation that has the keys
   */
  KeyWrites.Removal begin(long stamp) {
    RemovalUnits.Unit unit = units.enter();
    AtomicBoolean closed = new AtomicBoolean();
    return new KeyWrites.Removal() {
      @Override
      public void gone(Collection<?> keys) {
        try {
          remove(unit, keys, stamp);
        } catch (RuntimeException e) {
          // These keys pass as false positives until the next rebuild.
          if (outage.begins()) {
            LOG.warn("Keys of deleted rows stay in filter '{}': {}", filter, e.getMessage());
          }
        }
      }

      @Override
      public void close() {
        if (closed.compareAndSet(false, true)) {
          unit.leave();
        }
      }
    };
  }

  /**
   * Takes back one addition of each canonical key, now.
   *
   * @param stamp of the generation that has them, 0 for any
   */
  int removeAll(List<String> keys, long stamp) {
    if (!store.removes()) {
      return store.removeAll(rows(keys).values().stream().toList(), stamp);
    }
    RemovalUnits.Unit unit = units.enter();
    try {
      return remove(unit, keys, stamp);
    } finally {
      if (!transactions.register(() -> {}, committed -> unit.leave())) {
        unit.leave();
      }
    }
  }

  /** Removes the keys that the unit has not removed yet. */
  private int remove(RemovalUnits.Unit unit, Collection<?> keys, long stamp) {
    Map<String, String> rows = rows(keys);
    List<String> first = unit.first(rows.keySet());
    if (first.isEmpty()) {
      return 0;
    }
    try {
      int removed = store.removeAll(first.stream().map(rows::get).toList(), stamp);
      if (removed == 0) {
        unit.forget(first);
      }
      return removed;
    } catch (RemovalFailedException e) {
      if (e.isRepeatable()) {
        unit.forget(first);
      }
      throw e;
    }
  }

  /** One key for each row: the first of the spellings that the database holds equal, by these. */
  private Map<String, String> rows(Collection<?> keys) {
    Map<String, String> rows = new LinkedHashMap<>();
    for (Object each : keys) {
      String key = String.valueOf(each);
      rows.putIfAbsent(folding.fold(key), key);
    }
    return rows;
  }
}
