package io.bloomguard.guard.internal.writes;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.KeyWrites.AsyncCall;
import io.bloomguard.guard.internal.OwnWrites;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.confirm.Confirmations;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of one filter: barrier, add, the caller's own write, end of the barrier. Keys are held
 * against the rules for keys first.
 *
 * <p>They reach every cache that guards of this filter use, since each cache may hold a null entry
 * for the key that is being written.
 *
 * @param canonical makes a key canonical, or refuses it
 * @param scoped whether callers leave the scope of their keys out
 * @param ends the writes whose end was not seen
 */
public record FilterWrites(
    GuardedFilter filter,
    Function<Object, String> canonical,
    boolean scoped,
    Transactions transactions,
    OpenEnds ends,
    FilterCaches caches,
    FilterRemovals removals)
    implements KeyWrites {

  /**
   * A write that is open longer adds its key again before the commit: its process may have been
   * suspended for so long that the other processes no longer counted it as a writer.
   */
  private static final Duration RENEW_AFTER = Duration.ofSeconds(2);

  private static final boolean[] NONE = {};
  private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);
  private static final Logger LOG = LoggerFactory.getLogger(FilterWrites.class);

  /**
   * The writes of a filter.
   *
   * @param confirmations the questions of this filter to an exact source; null if it asks none
   */
  public static FilterWrites of(
      GuardedFilter filter,
      Function<Object, String> canonical,
      Transactions transactions,
      OpenEnds ends,
      @Nullable Confirmations confirmations) {
    FilterCaches caches = new FilterCaches(filter, confirmations);
    FilterRemovals removals = new FilterRemovals(filter, transactions, canonical);
    return new FilterWrites(filter, canonical, true, transactions, ends, caches, removals);
  }

  /** These writes, for callers whose keys are complete. */
  public FilterWrites ofCompleteKeys() {
    return new FilterWrites(filter, canonical, false, transactions, ends, caches, removals);
  }

  /** Adds a cache that a guard of this filter uses from now on: writes reach it too. */
  public void reach(CacheLoads cache) {
    caches.reach(cache);
  }

  /** Leaves the removals to the rows of entities, each of whose deletions is seen. */
  public void removeByRows() {
    removals.removeByRows();
  }

  @Override
  public void followedBy(OwnWrites feed) {
    removals.followedBy(feed);
  }

  // Keys

  @Override
  public Collection<?> scoped(Collection<?> keys, @Nullable Object context) {
    KeyScope scope = filter.scope();
    return scope == null || !scoped ? keys : scope.written(keys, context);
  }

  /** Makes keys canonical by rules; those of a row with a scope, with that. */
  public static Function<Object, String> by(KeyRules rules) {
    return key -> {
      String text = CanonicalKey.of(key instanceof KeyScope.Scoped own ? own.parts() : key);
      rules.require(text);
      return text;
    };
  }

  private List<String> complete(Collection<?> keys) {
    return keys.stream().<String>map(canonical).toList();
  }

  private List<String> distinct(Collection<?> keys) {
    return distinct(complete(scoped(keys, null)), List.of());
  }

  private static List<String> distinct(List<String> some, List<String> others) {
    return Stream.concat(some.stream(), others.stream()).distinct().toList();
  }

  // Adds without the write of their rows

  @Override
  public List<Boolean> putEach(Collection<?> keys, @Nullable String claim) {
    List<String> canonical = complete(scoped(keys, null));
    OpenWrite write = new OpenWrite(distinct(canonical, List.of()), List.of(), this::settle, claim);
    try {
      write.beginPut().join();
    } finally {
      write.endPut();
    }
    // The first of equal keys takes the answer.
    return canonical.stream().map(write.news::remove).toList();
  }

  @Override
  public CompletionStage<Integer> putAllAsync(Collection<?> keys) {
    OpenWrite write = new OpenWrite(distinct(keys), List.of(), this::settle, null);
    return called(write::beginPut, write::endPut, write.news::size);
  }

  /** A call of a first step, which may wait, and a last one. */
  private <T extends @Nullable Object> CompletionStage<T> called(
      Supplier<CompletableFuture<?>> first, Runnable last, Supplier<T> result) {
    AsyncCall call;
    try {
      call = beginAsync();
    } catch (RequestShedException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<@Nullable Throwable> ended =
        call.run(first)
            .handle(
                (begun, refusal) ->
                    call.end(last)
                        .<@Nullable Throwable>handle(
                            (nothing, trouble) -> refusal == null ? trouble : refusal))
            .thenCompose(end -> end);
    return LoadStages.then(
        ended,
        failure ->
            failure == null
                ? CompletableFuture.completedFuture(result.get())
                : CompletableFuture.failedFuture(Failures.unwrapped(failure)));
  }

  @Override
  public AsyncCall beginAsync() {
    if (filter.store().answersInMemory()
        || (transactions.isActive() && transactions.owner() instanceof Thread)) {
      return AsyncCall.HERE;
    }
    if (!ends.threads().tryBegin()) {
      throw LoadThreads.tooManyCalls();
    }
    return new WaitingCall(ends.threads());
  }

  // Writes of rows

  @Override
  public Write beginWrites(Collection<?> added, Collection<?> changed) {
    return beginWrites(added, changed, this::settle);
  }

  @Override
  public Write beginWrites(Collection<?> added, Collection<?> changed, Consumer<PendingAdd> adds) {
    if (added.isEmpty() && changed.isEmpty()) {
      return caches.beginUnnamed(transactions.owner());
    }
    OpenWrite write = new OpenWrite(distinct(added), distinct(changed), adds, null);
    adds.accept(write.begin());
    return write;
  }

  /** Waits for the copies that may lack an add, unless the transaction of this thread does. */
  private void settle(PendingAdd add) {
    settled(add).join();
  }

  private CompletableFuture<?> settled(PendingAdd add) {
    PendingAdds adds = new PendingAdds();
    adds.add(add);
    return adds.settled(transactions);
  }

  @Override
  public void committed(Collection<?> added, Collection<?> changed) {
    List<String> rows = distinct(complete(added), List.of());
    if (!rows.isEmpty()) {
      settle(filter.store().beginAdd(rows));
    }
    caches.invalidate(distinct(rows, complete(changed)));
  }

  /** Drops the entries of all keys: it is not known which rows have changed. */
  @Override
  public void dropAll() {
    LOG.info(
        "Filter '{}': its caches are emptied, because its feed of changes does not tell which rows"
            + " have changed",
        filter.name());
    caches.dropAll();
  }

  // Evictions and removals

  @Override
  public CompletionStage<@Nullable Void> evictAsync(Object key) {
    List<String> canonical = distinct(Collections.singletonList(key));
    return called(
        () -> {
          try (Removal removal = beginRemoval()) {
            evict(canonical, removal);
          }
          return DONE;
        },
        () -> {},
        () -> null);
  }

  @Override
  public void evictAll(Collection<?> keys, Removal removal) {
    try (removal) {
      evict(distinct(keys), removal);
    }
  }

  private void evict(List<String> keys, Removal removal) {
    if (keys.isEmpty()) {
      return;
    }
    OpenWrite write = new OpenWrite(List.of(), keys, add -> {}, null);
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
    Runnable leave = removals.enter(write.writer);
    Transactions.Completion completion =
        end -> {
          // After a rollback, or an unknown end, the row may still be there.
          if (end == End.COMMITTED) {
            removal.gone(keys);
          }
          write.end(end);
          leave.run();
        };
    if (!transactions.register(write::renew, completion)) {
      completion.completed(End.COMMITTED);
    }
  }

  @Override
  public Removal beginRemoval() {
    return removals.begin(false);
  }

  @Override
  public Removal beginRemovalOfRows() {
    return removals.begin(true);
  }

  @Override
  public int removeAll(Collection<?> keys) {
    return removals.feed() != null && filter.store().removes()
        ? 0
        : removals.removeAll(complete(scoped(keys, null)), 0);
  }

  @Override
  public int removeAll(Collection<?> keys, long stamp) {
    return removals.removeAll(complete(keys), stamp);
  }

  /** A write of rows, from its barriers to their end. */
  private final class OpenWrite implements Write {

    private final List<String> added;
    private final List<String> changed;
    private final List<String> keys;
    private final String token = UUID.randomUUID().toString();
    private final Object writer = transactions.owner();
    private final Consumer<PendingAdd> adds;
    private final @Nullable String claim;
    private long addedAt;

    /** The added keys that were new. */
    private final Set<String> news = new HashSet<>();

    /** Whether the caller ends the write, which no transaction does. */
    private boolean endsHere;

    /** The transaction that writes the rows, for the feed of changes. */
    private Transactions.Id transaction = Transactions.Id.UNKNOWN;

    /**
     * @param adds gets the adds of renewals
     * @param claim names the add; null for none
     */
    OpenWrite(
        List<String> added,
        List<String> changed,
        Consumer<PendingAdd> adds,
        @Nullable String claim) {
      this.claim = claim;
      this.adds = adds;
      this.added = added;
      this.changed = changed;
      this.keys = distinct(added, changed);
    }

    /**
     * Adds keys whose rows the caller does not write within this.
     *
     * @return ends once no copy lacks them, or at once if the transaction of the calling thread
     *     waits for that
     */
    CompletableFuture<?> beginPut() {
      if (keys.isEmpty()) {
        return DONE;
      }
      PendingAdd add = begin();
      for (int i = 0; i < added.size(); i++) {
        if (add.isNew()[i]) {
          news.add(added.get(i));
        }
      }
      endsHere = !transactions.register(this::renew, this::end);
      return settled(add);
    }

    /** The last step, also if the first one failed, which then has ended the write. */
    void endPut() {
      if (endsHere) {
        close();
      }
    }

    /** Raises the barriers and adds. */
    PendingAdd begin() {
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
      try {
        if (added.isEmpty()) {
          return PendingAdd.done(NONE);
        }
        MembershipStore store = filter.store();
        return claim == null ? store.beginAdd(added) : store.beginAdd(added, claim);
      } catch (AddFailedException e) {
        caches.warnOfAdds(e);
        throw e;
      }
    }

    @Override
    public void renew() {
      OwnWrites feed = removals.feed();
      // The question may cost the transaction a query. No process may be left with entries that the
      // feed alone would drop.
      if (feed != null && isNoted() && (!feed.isShared() || caches.areShared())) {
        transaction = feed.transaction();
      }
      long renewAfter = Math.min(RENEW_AFTER.toNanos(), filter.journalRetention().toNanos() / 2);
      if (System.nanoTime() - addedAt >= renewAfter) {
        adds.accept(add());
      }
    }

    /** A key that is removed must be counted by the feed, unless this has added it. */
    private boolean isNoted() {
      return !(filter.store().removes() ? added : keys).isEmpty();
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
      OwnWrites feed = removals.feed();
      String id = transaction.get();
      if (feed != null && id != null) {
        feed.committed(
            id, caches.held(added), filter.store().removes() ? List.of() : caches.held(changed));
      }
    }
  }
}
