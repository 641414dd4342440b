package io.bloomguard.guard.internal.writes;

import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.OwnWrites;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.confirm.Confirmations;
import io.bloomguard.guard.internal.load.LoadSteps;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of one filter: barrier, add, the caller's own write, end of the barrier.
 *
 * <p>They reach every cache that guards of this filter use, since each cache may hold a null entry
 * for the key that is being written.
 */
public final class FilterWrites {

  /**
   * A write that is open longer adds its key again before the commit: its process may have been
   * suspended for so long that the other processes no longer counted it as a writer.
   */
  private static final Duration RENEW_AFTER = Duration.ofSeconds(2);

  private static final boolean[] NONE = {};
  private static final KeyWrites.Removal NO_REMOVAL = keys -> {};
  private static final Logger LOG = LoggerFactory.getLogger(FilterWrites.class);

  private final String filter;
  private final MembershipStore store;
  private final long renewAfter;
  private final Transactions transactions;
  private final OpenEnds ends;
  private final FilterCaches caches;
  private final RemovalUnits units = new RemovalUnits();
  private final FilterRemovals removals;
  private final Outage failing = new Outage(System::nanoTime);

  /** Whether entities remove the keys of their rows: no other way does so then. */
  private volatile boolean removedByRows;

  /** The feed of changes, which removes the keys of all rows: no other way does so then. */
  private volatile @Nullable OwnWrites feed;

  /**
   * @param ends the writes whose end was not seen
   * @param confirmations the questions of this filter to an exact source; null if it asks none
   */
  public FilterWrites(
      GuardedFilter filter,
      Transactions transactions,
      OpenEnds ends,
      @Nullable Confirmations confirmations) {
    this.filter = filter.name();
    this.store = filter.store();
    this.renewAfter = Math.min(RENEW_AFTER.toNanos(), filter.journalRetention().toNanos() / 2);
    this.transactions = transactions;
    this.ends = ends;
    this.removals = new FilterRemovals(filter, transactions, units);
    this.caches = new FilterCaches(filter, confirmations);
  }

  /** Adds a cache that a guard of this filter uses from now on: writes reach it too. */
  public void reach(LoadSteps cache) {
    caches.reach(cache);
  }

  /** Adds keys, in steps that the caller takes. */
  public Put put(List<String> keys) {
    return new Put(keys);
  }

  /**
   * Begins a write.
   *
   * @param added keys that enter the filter
   * @param changed keys whose entries alone are dropped
   * @param adds gets each add of the write
   */
  public KeyWrites.Write begin(
      List<String> added, List<String> changed, Consumer<PendingAdd> adds) {
    if (added.isEmpty() && changed.isEmpty()) {
      return caches.beginUnnamed(transactions.owner());
    }
    OpenWrite write = new OpenWrite(added, changed, adds);
    adds.accept(write.begin());
    return write;
  }

  /**
   * Waits for the copies that may lack an add, unless the transaction of the calling thread does.
   */
  public void settle(PendingAdd add) {
    settled(add).join();
  }

  private CompletableFuture<?> settled(PendingAdd add) {
    PendingAdds adds = new PendingAdds();
    adds.add(add);
    return adds.settled(transactions);
  }

  /** Evicts keys, and closes the removal. */
  public void evict(List<String> keys, KeyWrites.Removal removal) {
    try (removal) {
      if (!keys.isEmpty()) {
        evictAny(keys, removal);
      }
    }
  }

  private void evictAny(List<String> keys, KeyWrites.Removal removal) {
    OpenWrite write = new OpenWrite(List.of(), keys, add -> {});
    try {
      write.begin();
    } catch (AddFailedException e) {
      // Outside of a transaction the row is gone all the same.
      write.endLater();
      throw e;
    }
    if (transactions.isCompleting()) {
      // The rows are as they will stay, but for those that the completion itself writes. Such a row
      // may still be there, so its key stays in the filter.
      write.close();
      write.endLater();
      return;
    }
    // A unit of work is one of a thread.
    RemovalUnits.@Nullable Unit unit =
        store.removes() && write.writer instanceof Thread ? units.enter() : null;
    Transactions.Completion completion =
        end -> {
          // After a rollback, or an unknown end, the row may still be there.
          if (end == End.COMMITTED) {
            removal.gone(keys);
          }
          write.end(end);
          if (unit != null) {
            unit.leave();
          }
        };
    if (!transactions.register(write::renew, completion)) {
      completion.completed(End.COMMITTED);
    }
  }

  /** Takes in rows that another program has committed. */
  public void committed(List<String> added, List<String> changed) {
    if (!added.isEmpty()) {
      settle(store.beginAdd(added));
    }
    caches.invalidate(distinct(added, changed));
  }

  private static List<String> distinct(List<String> some, List<String> others) {
    return Stream.concat(some.stream(), others.stream()).distinct().toList();
  }

  /** Drops the entries of all keys: it is not known which rows have changed. */
  public void dropAll() {
    LOG.info(
        "Filter '{}': its caches are emptied, because its feed of changes does not tell which rows"
            + " have changed",
        filter);
    caches.dropAll();
  }

  /** Leaves the removals to the rows of entities, each of whose deletions is seen. */
  public void removeByRows() {
    removedByRows = true;
  }

  /** Leaves the removals to the feed of changes, which sees every deletion. */
  public void followedBy(OwnWrites changes) {
    feed = changes;
  }

  /** A removal of keys, which are canonical, from the generation that serves now. */
  public KeyWrites.Removal beginRemoval() {
    return removedByRows ? NO_REMOVAL : beginRemovalOfRows();
  }

  /** A removal of the keys of entities' rows, each of whose deletions is seen. */
  public KeyWrites.Removal beginRemovalOfRows() {
    long stamp = store.removes() && feed == null ? store.servingStamp() : 0;
    return stamp == 0 ? NO_REMOVAL : removals.begin(stamp);
  }

  /** Takes back one addition of each canonical key, now, for a caller of the application. */
  public int removeAll(List<String> keys) {
    return feed != null && store.removes() ? 0 : removeAll(keys, 0);
  }

  /**
   * Takes back one addition of each canonical key, now.
   *
   * @param stamp of the generation that has them, 0 for any
   */
  public int removeAll(List<String> keys, long stamp) {
    return removals.removeAll(keys, stamp);
  }

  /** Logs the failure of an add once an outage: its caller gets each. */
  private PendingAdd told(Supplier<PendingAdd> add) {
    try {
      return add.get();
    } catch (AddFailedException e) {
      if (failing.begins()) {
        LOG.warn(
            "Filter '{}': a write fails, because its keys could not be added. More such failures"
                + " are not logged until a minute has passed without one: {}",
            filter,
            e.getMessage());
      }
      throw e;
    }
  }

  /** The add of keys, without the write of their rows. */
  public final class Put {

    private final List<String> keys;
    private boolean[] news = NONE;

    /** The write, if no transaction ends it. */
    private @Nullable OpenWrite open;

    private Put(List<String> keys) {
      this.keys = keys;
    }

    /** All steps, on the calling thread. Returns for each key whether it was new. */
    public boolean[] now() {
      try {
        begin().join();
        return news();
      } finally {
        end();
      }
    }

    /**
     * Adds the keys.
     *
     * @return ends once no copy lacks them, or at once if the transaction of the calling thread
     *     waits for that
     */
    public CompletableFuture<?> begin() {
      if (keys.isEmpty()) {
        return CompletableFuture.completedFuture(NONE);
      }
      OpenWrite write = new OpenWrite(keys, List.of(), FilterWrites.this::settle);
      PendingAdd added = write.begin();
      news = added.isNew();
      if (!transactions.register(write::renew, write::end)) {
        open = write;
      }
      return settled(added);
    }

    /** The last step, also if the first one failed, which then has ended the write. */
    public void end() {
      if (open != null) {
        open.close();
      }
    }

    /** For each key whether it was new. */
    public boolean[] news() {
      return news;
    }
  }

  private final class OpenWrite implements KeyWrites.Write {

    private final List<String> added;
    private final List<String> changed;
    private final List<String> keys;
    private final String token = UUID.randomUUID().toString();
    private final Object writer = transactions.owner();
    private final Consumer<PendingAdd> adds;
    private long addedAt;

    /** The transaction that writes the rows, for the feed of changes. */
    private Transactions.Id transaction = Transactions.Id.UNKNOWN;

    /**
     * @param adds gets the adds of renewals
     */
    OpenWrite(List<String> added, List<String> changed, Consumer<PendingAdd> adds) {
      this.adds = adds;
      this.added = added;
      this.changed = changed;
      this.keys = distinct(added, changed);
    }

    PendingAdd begin() {
      return told(this::raiseAndAdd);
    }

    private PendingAdd raiseAndAdd() {
      caches.raise(keys, token, writer);
      try {
        return add();
      } catch (Throwable e) {
        caches.lift(keys, token, writer);
        throw e;
      }
    }

    private PendingAdd add() {
      addedAt = System.nanoTime();
      return added.isEmpty() ? PendingAdd.done(NONE) : store.beginAdd(added);
    }

    @Override
    public void renew() {
      OwnWrites changes = feed;
      // The question may cost the transaction a query.
      if (changes != null && isNoted() && reaches(changes)) {
        transaction = changes.transaction();
      }
      if (System.nanoTime() - addedAt >= renewAfter) {
        adds.accept(told(this::add));
      }
    }

    @Override
    public void close() {
      end(End.ROLLED_BACK);
    }

    @Override
    public void end(End end) {
      if (end == End.UNKNOWN || !caches.lift(keys, token, writer)) {
        endLater();
      } else if (end == End.COMMITTED) {
        note();
      }
    }

    private void endLater() {
      ends.add(() -> caches.lift(keys, token, writer));
    }

    private void note() {
      OwnWrites changes = feed;
      String id = transaction.get();
      if (changes != null && id != null) {
        changes.committed(
            id, caches.held(added), store.removes() ? List.of() : caches.held(changed));
      }
    }

    /** A key that is removed must be counted by the feed, unless this has added it. */
    private boolean isNoted() {
      return !(store.removes() ? added : keys).isEmpty();
    }

    /** Whether no process is left with entries that the feed alone would drop. */
    private boolean reaches(OwnWrites changes) {
      return !changes.isShared() || caches.areShared();
    }
  }
}
