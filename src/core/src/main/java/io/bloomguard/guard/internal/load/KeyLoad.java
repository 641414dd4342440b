package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheLookup.Due;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.internal.GuardListener.MutexResult;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.UnclearAnswer;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import io.bloomguard.guard.internal.load.SingleFlight.Landing;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One caller's load of one key, as a sequence of steps: the lookup, the flight, the lease, the
 * second look, the last write, the load and the store.
 *
 * <p>Each step continues where its outcome comes. A kind of load says how a caller waits, on which
 * thread the cache answers, and how the loader is called.
 *
 * <p>In this process one flight for each key asks for the lease and loads; the other callers wait
 * for its landing. Between processes the lease of the value cache decides: a caller never loads
 * while another process holds it, and looks for the value again until it is there. Without a
 * reachable value cache the flight and the bulkhead still hold.
 *
 * <p>If values are not kept, the lease only prevents stale null entries: a caller that does not get
 * it at once loads without it and stores nothing. Callers at one time then share a load if the
 * request joins and they are in no transaction; otherwise each leads a flight that no other can
 * join.
 *
 * <p>A value that is due but has not expired is loaded by the caller that gets flight and lease, as
 * after a miss; all others get the present value and wait for nothing. If that load fails, or finds
 * no place in the bulkhead, its caller gets the present value as well, as long as the cache holds
 * it: until a write drops it, or it expires.
 */
abstract class KeyLoad<V> {

  private static final Logger LOG = LoggerFactory.getLogger(KeyLoad.class);

  final CompletableFuture<Answer<V>> answer = new CompletableFuture<>();
  final LoadSteps steps;
  final LoadRequest<V> request;
  final AsyncValueCache onCaller;
  final @Nullable Place within = Place.current();
  final long start = System.nanoTime();
  private final ReadView view;
  private final boolean inTransaction;

  /** Whether the load has its turn, or the wait for it is over. */
  private final AtomicBoolean turned = new AtomicBoolean();

  /** Whether the load has begun. */
  private volatile boolean begun;

  /** The value that is to be loaded before it expires; null for none. */
  private volatile @Nullable Due<V> due;

  /** The flight that this call leads; null while it leads none. */
  volatile @Nullable Flight<V> flight;

  KeyLoad(LoadSteps steps, LoadRequest<V> request) {
    this.steps = steps;
    this.request = request;
    this.onCaller = AsyncValueCache.onCallingThread(request.cache());
    this.view = steps.view();
    this.inTransaction = steps.inTransaction();
  }

  /** The steps of the cache. */
  AsyncValueCache cache() {
    return onCaller;
  }

  /** The steps of the cache for a lease that is given up, perhaps on the timer's thread. */
  AsyncValueCache cacheToRelease() {
    return cache();
  }

  /** A flight for this call to lead. */
  Flight<V> newFlight() {
    return Flight.here();
  }

  /**
   * Waits for another caller's flight; continues with {@link #landed}, {@link #fail} or {@link
   * #expire}.
   *
   * @param came the latest moment at which this caller joined
   */
  abstract void await(Flight<V> theirs, long came);

  /** Waits before the next {@link #acquire}, or continues with {@link #expire}. */
  abstract void again();

  /** Takes a place and loads; continues with {@link #loaded} or {@link #fail}. */
  abstract void load(LoadPermit permit);

  /** The continuation of a call with the outcome of a step at the cache. */
  @FunctionalInterface
  private interface Next<T> {

    /**
     * Continues the call.
     *
     * @param failure not null if the cache is out of reach; {@code outcome} is empty then
     */
    void with(T outcome, @Nullable CacheUnavailableException failure);
  }

  final void look() {
    step(
        null,
        () -> cache().lookup(request.key(), request.type()),
        (cached, failure) -> looked(failure == null ? cached : CacheLookup.miss()));
  }

  final void looked(CacheLookup<V> cached) {
    if (cached instanceof Due<V> found && steps.shares(request)) {
      refresh(found);
      return;
    }
    Answer<V> hit = LoadSteps.answer(request, cached);
    if (hit == null) {
      join();
    } else {
      answer.complete(hit);
    }
  }

  /** Loads for its caller alone, in no flight. */
  void alone() {
    enter(new LoadPermit(null, true));
  }

  /** Loads a value that is due, in its turn; or answers with the present one. */
  private void refresh(Due<V> found) {
    Flight<V> mine = newFlight();
    if (!steps.refreshes().tryBegin(request, mine)) {
      answer.complete(Answer.cached(found.value()));
      return;
    }
    flight = mine;
    due = found;
    acquire();
  }

  /** Answers with a present value, without a load. */
  private void present(Due<V> found, CacheLookup<V> now) {
    Flight<V> mine = flight;
    if (mine != null) {
      steps.flights().landNothing(request.key(), mine);
    }
    Answer<V> present = LoadSteps.answer(request, now);
    answer.complete(present == null ? Answer.cached(found.value()) : present);
  }

  /**
   * Takes a step and continues with its outcome: on this thread if it is available, else on the
   * thread that completes it.
   *
   * @param held a lease in hand, which ends if the step fails in an unforeseen way
   */
  private <T> void step(@Nullable Lease held, Supplier<CompletableFuture<T>> step, Next<T> next) {
    CompletableFuture<T> outcome;
    try {
      outcome = step.get();
    } catch (Throwable e) {
      outcome = CompletableFuture.failedFuture(e);
    }
    var unused = outcome.whenComplete((value, failure) -> go(held, next, value, failure));
  }

  private <T> void go(@Nullable Lease held, Next<T> next, T outcome, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Failures.unwrapped(failure);
    if (cause != null && !(cause instanceof CacheUnavailableException)) {
      release(held);
      fail(cause);
      return;
    }
    if (cause != null) {
      LOG.debug("The value cache was bypassed", cause);
    }
    try {
      next.with(outcome, (CacheUnavailableException) cause);
    } catch (Throwable e) {
      fail(e);
    }
  }

  /** Joins the flight of the key, or leads one. */
  void join() {
    long came = System.nanoTime();
    Flight<V> mine = newFlight();
    Flight<V> theirs = joins() ? steps.flights().joinOrStart(request.key(), mine) : null;
    if (theirs == null) {
      flight = mine;
      acquire();
    } else if (theirs.tryAwait(within, answer)) {
      await(theirs, came);
    } else {
      // The load of this key asks for it again, perhaps through others: it would wait for itself.
      alone();
    }
  }

  /**
   * Whether the call shares a load. Where no value is kept because writes are not seen, its
   * transaction may have made one: it would read past its own write, or show it to others.
   */
  private boolean joins() {
    return steps.joins(request) && !(request.joins() && inTransaction);
  }

  final void landed(Landing<V> landing, long came) {
    try {
      Answer<V> shared = steps.joined(request, landing, came);
      if (shared == null) {
        join();
      } else {
        request.listener().onMutexWait(MutexResult.SHARED, System.nanoTime() - start);
        answer.complete(shared);
      }
    } catch (Throwable e) {
      fail(e);
    }
  }

  /**
   * Asks for the permit to load: the lease, unless the cache is out of reach. There is none while
   * another process holds the lease and has stored nothing, or the cache is too slow to tell: a
   * caller that took its silence for absence would load beside the holder. If values are not
   * shared, there is nothing to wait for.
   */
  final void acquire() {
    if (!answer.isDone()) {
      step(null, () -> cache().tryLease(request.key()), this::leased);
    }
  }

  private void leased(@Nullable Lease lease, @Nullable CacheUnavailableException failure) {
    Due<V> found = due;
    if (answer.isDone()) {
      release(lease);
    } else if (found != null && lease == null) {
      present(found, found);
    } else if (!steps.shares(request)) {
      check(
          lease,
          view,
          outdated ->
              enter(new LoadPermit(lease, outdated || (lease == null && !request.joins()))));
    } else if (failure != null) {
      unreachable(failure);
    } else {
      long asOf = System.nanoTime();
      // The previous holder of the lease may have stored between our miss and now.
      step(
          lease,
          () -> cache().lookAgain(request.key(), request.type()),
          (cached, missed) -> {
            if (missed == null) {
              lookedAgain(lease, cached, asOf);
              return;
            }
            release(lease);
            unreachable(missed);
          });
    }
  }

  private void lookedAgain(@Nullable Lease lease, CacheLookup<V> cached, long asOf) {
    Due<V> old = due;
    Answer<V> found = old == null ? LoadSteps.answer(request, cached) : null;
    if (found != null) {
      release(lease);
      request.listener().onMutexWait(MutexResult.SHARED, System.nanoTime() - start);
      land(found, steps.landing(request, found.value(), true, asOf));
    } else if (lease == null) {
      again();
    } else {
      if (old == null) {
        request.listener().onMutexWait(MutexResult.ACQUIRED, System.nanoTime() - start);
      }
      check(
          lease,
          view,
          outdated -> {
            if (old == null || RefreshTurns.isToLoad(cached, old, outdated)) {
              enter(new LoadPermit(lease, outdated));
              return;
            }
            release(lease);
            present(old, cached);
          });
    }
  }

  /** Asks a slow cache again; without a cache the flight alone gives the permit to load. */
  private void unreachable(CacheUnavailableException failure) {
    Due<V> found = due;
    if (found != null) {
      present(found, found);
    } else if (failure.isSlow()) {
      again();
    } else {
      enter(new LoadPermit(null, inTransaction));
    }
  }

  /**
   * Finds out whether a write that {@code seen} may not show has ended already. Called once the
   * lease is held: a write that ends later revokes it.
   */
  private void check(@Nullable Lease lease, ReadView seen, Consumer<Boolean> next) {
    if (lease == null || !seen.mayBeOld()) {
      next.accept(seen.mayBeOld());
      return;
    }
    step(
        lease,
        () -> cache().lastWrite(request.key()),
        (last, failure) -> next.accept(failure != null || seen.mayLack(last)));
  }

  /** Ends the wait for the load's turn. */
  final void expire() {
    if (turned.compareAndSet(false, true)) {
      fail(steps.waitedTooLong(request, start));
    }
  }

  private void enter(LoadPermit permit) {
    if (turned.compareAndSet(false, true)) {
      load(permit);
    } else {
      release(permit.lease());
    }
  }

  /** The request of the load: a refresh, which can be left out, does not queue. */
  final LoadRequest<V> loading() {
    return due == null ? request : request.refreshing();
  }

  /** Notes that the load begins in {@code place}. */
  final void begin(@Nullable Place place) {
    begun = true;
    Flight<V> mine = flight;
    if (mine != null) {
      mine.loadsIn(place);
    }
  }

  /**
   * Stores the value loaded since {@code begin}. The flight takes no further callers: a write that
   * ends after the value was stored does not revoke it. Callers that arrived after a write that may
   * have come between must not get this value.
   */
  final void loaded(LoadPermit permit, @Nullable V value, long begin) {
    try {
      settle(permit, value, begin);
    } catch (Throwable e) {
      release(permit.lease());
      fail(e);
    }
  }

  private void settle(LoadPermit permit, @Nullable V value, long begin) {
    endFlight();
    long asOf = System.nanoTime();
    Lease lease = permit.lease();
    V content = UnclearAnswer.content(value);
    V kept = request.type().kept(content);
    Consumer<Boolean> landing =
        shareable -> land(Answer.loaded(value), steps.landing(request, kept, shareable, asOf));
    boolean storable = steps.isStorable(request, permit, kept, Duration.ofNanos(asOf - begin));
    if (value instanceof UnclearAnswer) {
      release(lease);
      if (due == null) {
        landing.accept(storable);
      } else {
        due = null;
        presentOr(() -> landing.accept(false));
      }
      return;
    }
    if (!storable || (lease == null && request.joins())) {
      release(lease);
      share(permit, kept, begin, landing);
      return;
    }
    // What the loader has read in an older session than it had.
    check(
        lease,
        view.used(begin, steps.view()),
        outdated -> {
          if (outdated || lease == null) {
            release(lease);
            landing.accept(!outdated);
            return;
          }
          step(
              lease,
              () -> cache().store(lease, kept, request.type()),
              (result, failure) ->
                  landing.accept(failure == null && result != StoreResult.REVOKED));
        });
  }

  /**
   * Hands a value that is not kept to the callers that wait for it, unless a write has ended since
   * the load began.
   */
  private void share(LoadPermit permit, @Nullable V value, long begin, Consumer<Boolean> landing) {
    Flight<V> mine = flight;
    if (mine == null
        || mine.getNumberOfDependents() == 0
        || !steps.isShareable(request, permit, value)) {
      landing.accept(false);
      return;
    }
    step(
        null,
        () -> cache().lastWrite(request.key()),
        (last, failure) -> landing.accept(failure != null || last == null || last - begin < 0));
  }

  final void release(@Nullable Lease lease) {
    if (lease != null) {
      LoadSteps.release(cacheToRelease(), lease);
    }
  }

  // The flight ends before it lands: a caller that learns of the landing must not join it again.

  private void land(Answer<V> landed, Landing<V> landing) {
    if (due != null) {
      steps.refreshes().succeeded(request);
    }
    endFlight();
    Flight<V> mine = flight;
    if (mine != null) {
      mine.complete(landing);
    }
    answer.complete(landed);
  }

  /** Fails the callers; a refresh may have the present value in place of the failure. */
  final void fail(Throwable failure) {
    endFlight();
    Flight<V> mine = flight;
    if (mine != null && LoadSteps.isInterrupted(failure)) {
      // Its callers were not interrupted: one of them leads next.
      mine.complete(Landing.nothing());
    } else if (mine != null) {
      mine.completeExceptionally(failure);
    }
    boolean hidden = due != null && RefreshTurns.isHidden(request, inTransaction, failure, begun);
    due = null;
    Runnable failing = () -> answer.completeExceptionally(failure);
    if (hidden) {
      presentOr(failing);
    } else {
      failing.run();
    }
  }

  /** Answers a refresh that came to nothing with the present value, if the cache still has it. */
  private void presentOr(Runnable otherwise) {
    step(
        null,
        () -> cache().lookup(request.key(), request.type()),
        (cached, missed) -> {
          Answer<V> present = missed == null ? LoadSteps.answer(request, cached) : null;
          if (present == null) {
            otherwise.run();
          } else {
            land(present, Landing.nothing());
          }
        });
  }

  final void endFlight() {
    Flight<V> mine = flight;
    if (mine != null) {
      steps.flights().end(request.key(), mine);
    }
  }

  /**
   * The answer of a load that has ended.
   *
   * @throws X the exception of the load, also for callers that waited for it
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  final <X extends Throwable> Answer<V> ended() throws X {
    Throwable failure = answer.<@Nullable Throwable>handle((value, thrown) -> thrown).join();
    if (failure != null) {
      throw (X) failure;
    }
    return answer.join();
  }
}
