package io.bloomguard.guard.internal.writes;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.OwnWrites;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The removals of keys from one filter: by those alone who see every deletion, if there are any,
 * and of each row once in a unit of work.
 */
final class FilterRemovals {

  private static final KeyWrites.Removal NONE = keys -> {};
  private static final Logger LOG = LoggerFactory.getLogger(FilterRemovals.class);

  private final String filter;
  private final MembershipStore store;
  private final KeyFolding folding;
  private final Transactions transactions;
  private final Function<Object, String> canonical;
  private final Outage outage = new Outage(System::nanoTime);
  private final RemovalUnits units = new RemovalUnits();

  /** Whether entities remove the keys of their rows: no other way does so then. */
  private volatile boolean removedByRows;

  /** The feed of changes, which removes the keys of all rows: no other way does so then. */
  private volatile @Nullable OwnWrites feed;

  FilterRemovals(
      GuardedFilter filter, Transactions transactions, Function<Object, String> canonical) {
    this.filter = filter.name();
    this.store = filter.store();
    this.folding = filter.folding();
    this.transactions = transactions;
    this.canonical = canonical;
  }

  void removeByRows() {
    removedByRows = true;
  }

  void followedBy(OwnWrites changes) {
    feed = changes;
  }

  @Nullable OwnWrites feed() {
    return feed;
  }

  /**
   * Begins a removal from the generation that serves now, within the unit of work of the calling
   * thread.
   *
   * @param ofRows whether the caller sees each row of an entity go
   */
  KeyWrites.Removal begin(boolean ofRows) {
    boolean leftToOthers = feed != null || (removedByRows && !ofRows);
    long stamp = leftToOthers || !store.removes() ? 0 : store.servingStamp();
    if (stamp == 0) {
      return NONE;
    }
    RemovalUnits.Unit unit = units.enter();
    AtomicBoolean closed = new AtomicBoolean();
    return new KeyWrites.Removal() {
      @Override
      public void gone(Collection<?> keys) {
        try {
          remove(unit, keys.stream().<String>map(canonical).toList(), stamp);
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

  /** Joins the unit of work of a writer, which is one of a thread; what it returns leaves it. */
  Runnable enter(Object writer) {
    return store.removes() && writer instanceof Thread ? units.enter()::leave : () -> {};
  }

  /**
   * Takes back one addition of each canonical key, now.
   *
   * @param stamp of the generation that has them, 0 for any
   */
  int removeAll(List<String> keys, long stamp) {
    RemovalUnits.Unit unit = units.enter();
    try {
      return remove(unit, keys, stamp);
    } finally {
      if (!store.removes() || !transactions.register(() -> {}, committed -> unit.leave())) {
        unit.leave();
      }
    }
  }

  /** Removes the keys that the unit has not removed yet. */
  private int remove(RemovalUnits.Unit unit, List<String> keys, long stamp) {
    // One key for each row: the first of the spellings that the database holds equal.
    Map<String, String> rows = new LinkedHashMap<>();
    keys.forEach(key -> rows.putIfAbsent(folding.fold(key), key));
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
}
