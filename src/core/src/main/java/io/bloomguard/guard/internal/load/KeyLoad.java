package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheLookup.Due;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.GuardListener.MutexResult;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.UnclearAnswer;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import io.bloomguard.guard.internal.load.SingleFlight.Landing;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One caller's load of one key, as a sequence of steps: the lookup, the flight, the lease, the
 * second look, the last write, the load and the store.
 *
 * <p>Each step continues where its outcome comes, and after a wait where {@link Waits} says. So a
 * caller that waits is one whose own thread runs the continuations, and a key of a batch is a load
 * that gives up where it would wait, and whose turn comes in its batch.
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
final class KeyLoad<V> {

  private static final Logger LOG = LoggerFactory.getLogger(KeyLoad.class);
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  final LoadRequest<V> request;
  final CompletableFuture<Answer<V>> answer = new CompletableFuture<>();
  private final CacheLoads loads;
  private final Waits waits;
  private final Consumer<KeyLoad<V>> turn;
  private final @Nullable Place within = Place.current();
  private final long start = System.nanoTime();
  private final ReadView view;
  private final boolean inTransaction;

  /** Whether the load has its turn, or the wait for it is over. */
  private final AtomicBoolean turned = new AtomicBoolean();

  private volatile AsyncValueCache cache;
  private volatile @Nullable Timeout patience;
  private volatile long pause = FIRST_PAUSE;

  /** The flight of this call, which others may join while it leads. */
  private final Flight<V> flight;

  /** The lease that this call holds; null if the value cache is out of reach. */
  private volatile @Nullable Lease lease;

  /** Whether the load may miss a write that has ended: its value is for its caller alone. */
  private volatile boolean outdated;

  /** The value that is to be loaded before it expires; null for none. */
  private volatile @Nullable Due<V> due;

  private volatile boolean begun;

  /**
   * @param turn loads, once this may
   */
  KeyLoad(CacheLoads loads, LoadRequest<V> request, Waits waits, Consumer<KeyLoad<V>> turn) {
    this.loads = loads;
    this.request = request;
    this.waits = waits;
    this.turn = turn;
    this.flight = new Flight<>(waits.caller());
    this.view = loads.view();
    this.inTransaction = loads.inTransaction();
    this.cache = loads.steps(request.cache(), waits);
    waits.onInterrupt(this::expire);
  }

  /**
   * Continues with the outcome of a step at the cache; a failure that is not foreseen is the
   * call's.
   *
   * @param next gets a failure instead if the cache is out of reach
   */
  private <T extends @Nullable Object> void step(
      CompletableFuture<T> outcome, BiConsumer<T, @Nullable CacheUnavailableException> next) {
    var unused =
        outcome.whenComplete(
            (value, failure) -> {
              try {
                Throwable cause = failure == null ? null : Failures.unwrapped(failure);
                if (cause == null) {
                  next.accept(value, null);
                } else if (cause instanceof CacheUnavailableException bypassed) {
                  LOG.debug("The value cache was bypassed", bypassed);
                  next.accept(value, bypassed);
                } else {
                  fail(cause);
                }
              } catch (Throwable e) {
                fail(e);
              }
            });
  }

  private void orFail(Runnable part) {
    try {
      part.run();
    } catch (Throwable e) {
      fail(e);
    }
  }

  /** Continues after a wait: in a transaction of the calling thread no longer. */
  private void later(Runnable part) {
    cache = waits.steps(request.cache());
    orFail(part);
  }

  /**
   * Takes the first step; but a call whose transaction has written the key loads for itself alone,
   * in no flight.
   */
  void start(Runnable first) {
    orFail(loads.isWrittenHere(request.key()) ? () -> enter(true) : first);
  }

  void look() {
    step(
        cache.lookup(request.key(), request.type()),
        (cached, failure) -> looked(failure == null ? cached : CacheLookup.miss()));
  }

  void looked(CacheLookup<V> cached) {
    Answer<V> hit = CacheLoads.answer(request, cached);
    if (cached instanceof Due<V> found && loads.shares(request)) {
      refresh(found);
    } else if (hit == null) {
      join();
    } else {
      answer.complete(hit);
    }
  }

  /** Loads a value that is due, in its turn; or answers with the present one. */
  private void refresh(Due<V> found) {
    RefreshPauses pauses = loads.refreshes;
    // Another caller's try may have ended since the first look.
    if (pauses.isOver(request.key())
        && loads.flights.joinOrStart(request.key(), flight) == null
        && pauses.isOver(request.key())) {
      pauses.begin(request.key());
      due = found;
      acquire();
    } else {
      present(found, found);
    }
  }

  /** Answers with a present value, without a load. */
  private void present(Due<V> found, CacheLookup<V> now) {
    loads.flights.landNothing(request.key(), flight);
    Answer<V> present = CacheLoads.answer(request, now);
    answer.complete(present == null ? Answer.cached(found.value()) : present);
  }

  /** Joins the flight of the key, or leads one. */
  void join() {
    if (patience == null) {
      patience = waits.after(loads.remaining(start), this::expire);
    }
    long came = System.nanoTime();
    Flight<V> theirs = joins() ? loads.flights.joinOrStart(request.key(), flight) : null;
    if (theirs == null) {
      acquire();
    } else if (theirs.tryAwait(within, answer)) {
      var unused =
          theirs.whenComplete(
              (landing, failure) ->
                  waits.execute(() -> later(() -> landed(landing, failure, came)), this::fail));
    } else {
      // The load of this key asks for it again, perhaps through others: it would wait for itself.
      enter(true);
    }
  }

  /**
   * Whether the call shares a load. Where no value is kept because writes are not seen, its
   * transaction may have made one: it would read past its own write, or show it to others.
   */
  private boolean joins() {
    return loads.joins(request) && !(request.joins() && inTransaction);
  }

  private void landed(Landing<V> landing, @Nullable Throwable failure, long came) {
    if (answer.isDone()) {
      return;
    }
    if (failure != null) {
      fail(failure);
      return;
    }
    Answer<V> shared = loads.joined(request, landing, came);
    if (shared == null) {
      join();
    } else {
      waited(MutexResult.SHARED);
      answer.complete(shared);
    }
  }

  private void waited(MutexResult result) {
    request.listener().onMutexWait(result, System.nanoTime() - start);
  }

  /**
   * Asks for the permit to load: the lease, unless the cache is out of reach. There is none while
   * another process holds the lease and has stored nothing, or the cache is too slow to tell: a
   * caller that took its silence for absence would load beside the holder. If values are not
   * shared, there is nothing to wait for.
   */
  private void acquire() {
    if (!answer.isDone()) {
      step(cache.tryLease(request.key()), this::leased);
    }
  }

  private void leased(@Nullable Lease taken, @Nullable CacheUnavailableException failure) {
    lease = taken;
    Due<V> found = due;
    if (answer.isDone()) {
      release();
    } else if (found != null && taken == null) {
      present(found, found);
    } else if (!loads.shares(request)) {
      check(view, old -> enter(old || (taken == null && !request.joins())));
    } else if (failure != null) {
      unreachable(failure);
    } else {
      long asOf = System.nanoTime();
      // The previous holder of the lease may have stored between our miss and now.
      step(
          cache.lookAgain(request.key(), request.type()),
          (cached, missed) -> {
            if (missed == null) {
              lookedAgain(cached, asOf);
            } else {
              release();
              unreachable(missed);
            }
          });
    }
  }

  private void lookedAgain(CacheLookup<V> cached, long asOf) {
    Due<V> old = due;
    Answer<V> found = old == null ? CacheLoads.answer(request, cached) : null;
    if (found != null) {
      release();
      waited(MutexResult.SHARED);
      land(found, loads.landing(request, found.value(), true, asOf));
    } else if (lease == null) {
      again();
    } else if (old == null) {
      waited(MutexResult.ACQUIRED);
      check(view, this::enter);
    } else {
      check(
          view,
          mayMiss -> {
            // A value that a write has dropped must not be served any more: it is loaded as after
            // a miss.
            if (cached instanceof CacheLookup.Miss
                || (!mayMiss && cached instanceof Due<V> now && now.version() == old.version())) {
              enter(mayMiss);
            } else {
              release();
              present(old, cached);
            }
          });
    }
  }

  /** Waits before the next try. */
  private void again() {
    long left = loads.remaining(start);
    if (left == 0) {
      expire();
      return;
    }
    var unused = waits.after(Math.min(pause, left), () -> later(this::acquire), this::fail);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }

  /** Asks a slow cache again; without a cache the flight alone gives the permit to load. */
  private void unreachable(CacheUnavailableException failure) {
    Due<V> found = due;
    if (found != null) {
      present(found, found);
    } else if (failure.isSlow()) {
      again();
    } else {
      enter(inTransaction);
    }
  }

  /**
   * Finds out whether a write that {@code seen} may not show has ended already. Called once the
   * lease is held: a write that ends later revokes it.
   */
  private void check(ReadView seen, Consumer<Boolean> next) {
    if (lease == null || !seen.mayBeOld()) {
      next.accept(seen.mayBeOld());
    } else {
      step(
          cache.lastWrite(request.key()),
          (last, failure) -> next.accept(failure != null || seen.mayLack(last)));
    }
  }

  /** Ends the wait for the load's turn. */
  private void expire() {
    if (turned.compareAndSet(false, true)) {
      fail(loads.waitedTooLong(request, start));
    }
  }

  private void enter(boolean mayMiss) {
    if (turned.compareAndSet(false, true)) {
      endPatience();
      outdated = mayMiss;
      turn.accept(this);
    } else {
      release();
    }
  }

  void endPatience() {
    Timeout timer = patience;
    if (timer != null) {
      timer.cancel();
    }
  }

  /** Whether the load may begin, or its wait is over. */
  boolean isTurned() {
    return turned.get();
  }

  /** Ends a call that others' loads go before: it waits for none of them. */
  void giveUp() {
    turned.set(true);
    endPatience();
    loads.flights.landNothing(request.key(), flight);
    release();
    answer.cancel(false);
  }

  /** The request of the load: a refresh, which can be left out, does not queue. */
  LoadRequest<V> loading() {
    return due == null ? request : request.refreshing();
  }

  /** Notes that the load begins in {@code taken}. */
  void begin(@Nullable Place taken) {
    begun = true;
    flight.loadsIn(taken);
  }

  /**
   * Takes a place and loads. A load that exceeds its time limit fails its callers, but keeps its
   * place and its lease until it really ends: it burdens the database until then.
   */
  void load(AsyncLoader<V> loader) {
    long queueing = loads.queueing(loading().queues(), start);
    CompletableFuture<Place> entering = loads.bulkhead().enter(within, queueing, waits);
    entering.whenComplete(
        (taken, refusal) -> {
          if (refusal == null) {
            load(loader, taken);
          } else {
            fail(refusal);
          }
        });
  }

  private void load(AsyncLoader<V> loader, Place taken) {
    begin(taken);
    long begin = System.nanoTime();
    var unused =
        loads
            .run(loader, taken, loading().listener(), waits, this::overdue)
            .whenComplete(
                (value, failure) -> {
                  taken.close();
                  if (failure == null) {
                    // A transaction may have ended with the load: no later step may run inside it.
                    later(() -> loaded(value, begin));
                  } else {
                    fail(waits.caller() == null ? Failures.unwrapped(failure) : failure);
                  }
                });
  }

  /**
   * Fails the callers. Other callers may load now, as soon as they get the lease. Without a lease
   * the flight keeps them from loading beside this load, for as long as a lease would.
   */
  private void overdue() {
    TimeoutException failure = new TimeoutException();
    if (lease != null) {
      end(failure);
      return;
    }
    flight.completeExceptionally(failure);
    answer.completeExceptionally(failure);
    var unused = waits.after(loads.settings().maxQueue().toNanos(), this::endFlight);
  }

  /**
   * Stores the value loaded since {@code begin}. The flight takes no further callers: a write that
   * ends after the value was stored does not revoke it. Callers that arrived after a write that may
   * have come between must not get this value.
   */
  void loaded(@Nullable V value, long begin) {
    endFlight();
    long asOf = System.nanoTime();
    Lease held = lease;
    V content = UnclearAnswer.content(value);
    Finding found = request.type().findings().of(content);
    V kept = found == Finding.NOTHING ? null : content;
    Consumer<Boolean> landing =
        shareable -> land(Answer.loaded(value), loads.landing(request, kept, shareable, asOf));
    boolean fits = !outdated && found != Finding.OTHER;
    boolean storable = fits && loads.shares(request.type(), kept);
    if (asOf - begin > loads.settings().timeout().toNanos()) {
      LOG.warn("A load took longer than its time limit of {}", loads.settings().timeout());
    }
    if (value instanceof UnclearAnswer) {
      release();
      if (due == null) {
        landing.accept(storable);
      } else {
        due = null;
        presentOr(() -> landing.accept(false));
      }
    } else if (!storable || (held == null && request.joins())) {
      release();
      share(fits && request.joins(), kept, begin, landing);
    } else {
      // What the loader has read in an older session than it had.
      check(
          view.used(begin, loads.view()),
          mayMiss -> {
            if (mayMiss || held == null) {
              release();
              landing.accept(!mayMiss);
              return;
            }
            step(
                cache.store(held, kept, request.type()),
                (result, failure) -> {
                  lease = null;
                  GuardedFilter filter = request.passedBy();
                  if (filter != null && kept == null && result == StoreResult.STORED) {
                    filter.foundNothing(request.key());
                  }
                  landing.accept(failure == null && result != StoreResult.REVOKED);
                });
          });
    }
  }

  /**
   * Hands a value that is not kept to the callers that wait for it, unless a write has ended since
   * the load began.
   */
  private void share(boolean shareable, @Nullable V value, long begin, Consumer<Boolean> landing) {
    if (!shareable
        || flight.getNumberOfDependents() == 0
        || !loads.shares(request.type().shareable(), value)) {
      landing.accept(false);
      return;
    }
    step(
        cache.lastWrite(request.key()),
        (last, failure) -> landing.accept(failure != null || last == null || last - begin < 0));
  }

  private void release() {
    Lease held = lease;
    if (held != null) {
      lease = null;
      CacheLoads.release(waits.steps(request.cache()), held);
    }
  }

  // The flight ends before it lands: a caller that learns of the landing must not join it again.

  private void land(Answer<V> landed, Landing<V> landing) {
    if (due != null) {
      loads.refreshes.end(request.key());
    }
    endFlight();
    flight.complete(landing);
    answer.complete(landed);
  }

  /** Fails the callers, and holds nothing any more. */
  void fail(Throwable failure) {
    release();
    end(failure);
  }

  /** Fails the callers; a refresh may have the present value in place of the failure. */
  private void end(Throwable failure) {
    endFlight();
    if (CacheLoads.isInterrupted(failure)) {
      // Its callers were not interrupted: one of them leads next.
      flight.complete(Landing.nothing());
    } else {
      flight.completeExceptionally(failure);
    }
    boolean hidden = due != null && isHidden(failure);
    due = null;
    Runnable failing = () -> answer.completeExceptionally(failure);
    if (hidden) {
      presentOr(failing);
    } else {
      failing.run();
    }
  }

  /**
   * Whether the present value is served in place of a failure, which is counted. A failed load may
   * have broken the transaction that it ran in: hiding that would only delay the error.
   */
  private boolean isHidden(Throwable failure) {
    if (!begun) {
      LoadListener missed = request.listener().ofRefreshes().onLoad();
      missed.onReturn();
      missed.onEnd(LoadResult.ERROR, 0);
    }
    LOG.debug("A value was not refreshed: {}", failure.getClass().getName());
    return failure instanceof Exception && (!begun || !inTransaction);
  }

  /** Answers a refresh that came to nothing with the present value, if the cache still has it. */
  private void presentOr(Runnable otherwise) {
    step(
        cache.lookup(request.key(), request.type()),
        (cached, missed) -> {
          Answer<V> present = missed == null ? CacheLoads.answer(request, cached) : null;
          if (present == null) {
            otherwise.run();
          } else {
            land(present, Landing.nothing());
          }
        });
  }

  private void endFlight() {
    loads.flights.end(request.key(), flight);
  }
}
