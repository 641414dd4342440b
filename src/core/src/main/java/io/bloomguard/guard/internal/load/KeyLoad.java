package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheLookup.Due;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.GuardListener.MutexResult;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.UnclearAnswer;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import io.bloomguard.guard.internal.load.SingleFlight.Landing;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One caller's load of one key, as a sequence of steps: the lookup, the flight, the lease, the
 * second look, the last write, the load and the store.
 *
 * <p>The steps are plain code, in parts. Between two of them a call may wait: for another caller's
 * flight, for another process' lease, for its place, and for its loader. A caller that waits does
 * so on its own thread, which then runs the next part. Every other call leaves the next part to a
 * thread of the guard: one of those that may wait for the cache if the part asks it, unless that
 * answers from memory, and else one on which the code of users may run. A key of a batch gives up
 * where it would wait, and is loaded with its batch.
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

  /** Null for a key of a batch. */
  private final @Nullable AsyncLoader<V> loader;

  /** Whether the calling thread waits for the call. */
  private final boolean waits;

  private final ValueCache cache;
  private final @Nullable Place within = Place.current();
  private final long start = System.nanoTime();
  private final ReadView view;
  private final boolean inTransaction;

  /** Whether the load has its turn, or the wait for it is over. */
  private final AtomicBoolean turned = new AtomicBoolean();

  /** Whether the cache is asked on any thread: one that waits, or stays in its transaction. */
  private volatile boolean asksHere;

  private volatile @Nullable Future<?> patience;
  private long pause = FIRST_PAUSE;

  /** The flight of this call, which others may join while it leads. */
  private final Flight<V> flight;

  /** The lease that this call holds; null if the value cache is out of reach. */
  private volatile @Nullable Lease lease;

  /** Whether the load may miss a write that has ended: its value is for its caller alone. */
  private boolean outdated;

  /** The value that is to be loaded before it expires; null for none. */
  private volatile @Nullable Due<V> due;

  private volatile boolean begun;

  /**
   * @param waits whether the calling thread waits for the call
   * @param loader null for a key of a batch, whose load begins without it once it may
   */
  KeyLoad(
      CacheLoads loads, LoadRequest<V> request, boolean waits, @Nullable AsyncLoader<V> loader) {
    this.loads = loads;
    this.request = request;
    this.waits = waits;
    this.loader = loader;
    this.cache = request.cache();
    this.flight = new Flight<>(waits ? Thread.currentThread() : null);
    this.view = loads.view();
    this.inTransaction = loads.inTransaction();
    this.asksHere = waits || cache.answersInMemory() || loads.staysOnThread();
  }

  // The ways from part to part

  private void go(Runnable part) {
    try {
      part.run();
    } catch (Throwable e) {
      fail(e);
    }
  }

  /** Runs a part that asks the cache, where that may be waited for. */
  private void steps(Runnable part) {
    if (asksHere()) {
      part.run();
    } else {
      loads.threads().waiting().execute(() -> go(part));
    }
  }

  private boolean asksHere() {
    return asksHere || loads.threads().isWaiting();
  }

  /**
   * Whether a wait is over on this thread; otherwise {@code part} follows it on another, no longer
   * in a transaction of this one.
   *
   * @param asks whether that asks the cache
   * @throws RequestShedException if this thread has waited too long
   */
  private boolean isOver(CompletableFuture<?> end, boolean asks, Runnable part) {
    if (loader == null) {
      return false;
    }
    if (waits) {
      if (!LoadStages.await(end, loads.remaining(start))) {
        throw loads.waitedTooLong(request, start);
      }
      return true;
    }
    asksHere = cache.answersInMemory();
    Executor threads = asks && !asksHere ? loads.threads().waiting() : loads.threads();
    end.whenComplete((any, failure) -> go(() -> threads.execute(() -> go(part))));
    return false;
  }

  // The parts

  /** Begins the call of a caller whose thread must not wait. */
  void start() {
    begin(
        () -> {
          if (asksHere) {
            looked(loads.look(request), null);
          } else {
            cache
                .lookupAsync(request.key(), request.type(), loads.threads())
                .whenComplete((cached, failure) -> go(() -> looked(cached, failure)));
          }
        });
  }

  /** Begins the call of a caller that has looked. */
  void start(CacheLookup<V> cached) {
    begin(() -> looked(cached, null));
  }

  /** Begins the call for a key of a batch, which has been looked for. */
  void startTurn() {
    begin(this::join);
  }

  /** A call whose transaction has written the key loads for itself alone, in no flight. */
  private void begin(Runnable first) {
    go(loads.isWrittenHere(request.key()) ? () -> enter(true) : first);
  }

  private void looked(@Nullable CacheLookup<V> found, @Nullable Throwable failure) {
    if (failure != null && !(Failures.unwrapped(failure) instanceof CacheUnavailableException)) {
      fail(Failures.unwrapped(failure));
      return;
    }
    CacheLookup<V> cached = found == null ? CacheLookup.miss() : found;
    Answer<V> hit = CacheLoads.answer(request, cached);
    if (cached instanceof Due<V> old && loads.shares(request)) {
      refresh(old);
    } else if (hit == null) {
      join();
    } else {
      reply(hit, null);
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
      steps(this::acquire);
    } else {
      present(found, found);
    }
  }

  /** Answers with a present value, without a load. */
  private void present(Due<V> found, CacheLookup<V> now) {
    loads.flights.landNothing(request.key(), flight);
    Answer<V> present = CacheLoads.answer(request, now);
    reply(present == null ? Answer.cached(found.value()) : present, null);
  }

  /** Joins the flight of the key, or leads one. */
  private void join() {
    if (patience == null && !waits) {
      patience = loads.threads().after(loads.remaining(start), this::expire);
    }
    boolean joined = false;
    while (!joined) {
      long came = System.nanoTime();
      Flight<V> theirs = joins() ? loads.flights.joinOrStart(request.key(), flight) : null;
      if (theirs == null) {
        steps(this::acquire);
        return;
      }
      if (!theirs.tryAwait(within, answer)) {
        // The load of this key asks for it again, perhaps through others: it would wait for itself.
        enter(true);
        return;
      }
      joined = !isOver(theirs, false, () -> landed(theirs, came)) || isLanded(theirs, came);
    }
  }

  private void landed(Flight<V> theirs, long came) {
    if (!isLanded(theirs, came)) {
      join();
    }
  }

  /**
   * Whether the call shares a load. Where no value is kept because writes are not seen, its
   * transaction may have made one: it would read past its own write, or show it to others.
   */
  private boolean joins() {
    return loads.joins(request) && !(request.joins() && inTransaction);
  }

  /** Answers with what a flight has brought; false if that is not for this caller. */
  private boolean isLanded(Flight<V> theirs, long came) {
    if (answer.isDone()) {
      return true;
    }
    Answer<V> shared = loads.joined(request, LoadStages.result(theirs), came);
    if (shared != null) {
      waited(MutexResult.SHARED);
      reply(shared, null);
    }
    return shared != null;
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
    boolean waited = true;
    while (waited && !answer.isDone() && !isDecided()) {
      waited = isOver(pause(), true, this::acquire);
    }
  }

  /** Loads, or answers, if the call has the lease or needs none; false if it is to ask again. */
  private boolean isDecided() {
    boolean shares = loads.shares(request);
    try {
      lease = cache.tryLease(request.key());
      if (shares && (lease != null || due == null) && !answer.isDone()) {
        long asOf = System.nanoTime();
        // The previous holder of the lease may have stored between our miss and now.
        return isDecided(cache.lookAgain(request.key(), request.type()), asOf);
      }
    } catch (CacheUnavailableException e) {
      LOG.debug("The value cache was bypassed", e);
      release();
      if (shares && due == null) {
        // A slow cache is asked again; without a cache the flight alone gives the permit to load.
        if (!e.isSlow()) {
          enter(inTransaction);
        }
        return !e.isSlow();
      }
    }
    Due<V> found = due;
    if (found != null && lease == null) {
      present(found, found);
    } else {
      boolean mayMiss = mayMiss(view);
      enter(mayMiss || (lease == null && !request.joins()));
    }
    return true;
  }

  private boolean isDecided(CacheLookup<V> cached, long asOf) {
    Due<V> old = due;
    Answer<V> found = old == null ? CacheLoads.answer(request, cached) : null;
    if (found != null) {
      release();
      waited(MutexResult.SHARED);
      land(found, loads.landing(request, found.value(), true, asOf));
    } else if (lease == null) {
      return false;
    } else if (old == null) {
      waited(MutexResult.ACQUIRED);
      enter(mayMiss(view));
    } else {
      boolean mayMiss = mayMiss(view);
      // A value that a write has dropped must not be served any more: it is loaded as after a miss.
      if (cached instanceof CacheLookup.Miss
          || (!mayMiss && cached instanceof Due<V> now && now.version() == old.version())) {
        enter(mayMiss);
      } else {
        release();
        present(old, cached);
      }
    }
    return true;
  }

  /** The end of the pause before the next try. */
  private CompletableFuture<?> pause() {
    long left = loads.remaining(start);
    if (left == 0) {
      expire();
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    over.completeOnTimeout(null, Math.min(pause, left), TimeUnit.NANOSECONDS);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    return over;
  }

  /**
   * Finds out whether a write that {@code seen} may not show has ended already. Called once the
   * lease is held: a write that ends later revokes it.
   */
  private boolean mayMiss(ReadView seen) {
    try {
      return seen.mayBeOld() && (lease == null || seen.mayLack(cache.lastWrite(request.key())));
    } catch (CacheUnavailableException e) {
      LOG.debug("The value cache was bypassed", e);
      return true;
    }
  }

  /** Ends the wait for the load's turn. */
  private void expire() {
    if (turned.compareAndSet(false, true)) {
      fail(loads.waitedTooLong(request, start));
    }
  }

  private void enter(boolean mayMiss) {
    if (!turned.compareAndSet(false, true)) {
      release();
      return;
    }
    endPatience();
    outdated = mayMiss;
    AsyncLoader<V> called = loader;
    if (called == null) {
      return;
    }
    if (!waits && loads.threads().isWaiting()) {
      // Users' code must not keep such a thread.
      loads.threads().execute(() -> go(() -> load(called)));
    } else {
      load(called);
    }
  }

  void endPatience() {
    Future<?> timer = patience;
    if (timer != null) {
      timer.cancel(false);
    }
  }

  /** Whether the load may begin, or its wait is over. */
  boolean isTurned() {
    return turned.get();
  }

  /** Ends a call that others' loads go before: it waits for none of them. */
  void giveUp() {
    turned.set(true);
    loads.flights.landNothing(request.key(), flight);
    release();
    answer.cancel(false);
  }

  /** The request of the load: a refresh, which can be left out, does not queue. */
  private LoadRequest<V> loading() {
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
  private void load(AsyncLoader<V> called) {
    long queueing = loads.queueing(loading().queues(), start);
    loads
        .bulkhead()
        .enter(within, queueing, waits)
        .whenComplete(
            (taken, refusal) -> {
              if (refusal == null) {
                go(() -> load(called, taken));
              } else {
                fail(refusal);
              }
            });
  }

  private void load(AsyncLoader<V> called, Place taken) {
    begin(taken);
    long begin = System.nanoTime();
    loads
        .run(called, taken, loading().listener(), waits, this::overdue)
        .whenComplete(
            (value, failure) -> {
              taken.close();
              // A transaction may have ended with the load: no later step may run inside it.
              asksHere = waits || cache.answersInMemory();
              go(() -> ended(value, failure, begin, loads.view()));
            });
  }

  private void ended(@Nullable V value, @Nullable Throwable failure, long begin, ReadView end) {
    steps(
        () -> {
          if (failure == null) {
            loaded(value, begin, end);
          } else {
            Throwable content = UnclearAnswer.content(failure);
            fail(waits ? content : Failures.unwrapped(content));
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
    var unused = loads.threads().after(loads.settings().maxQueue().toNanos(), this::endFlight);
  }

  /**
   * Stores the value loaded since {@code begin}. The flight takes no further callers: a write that
   * ends after the value was stored does not revoke it. Callers that arrived after a write that may
   * have come between must not get this value.
   *
   * @param end the view of the thread on which the load has ended
   */
  void loaded(@Nullable V value, long begin, ReadView end) {
    endFlight();
    long asOf = System.nanoTime();
    V content = UnclearAnswer.content(value);
    Finding found = request.type().findings().of(content);
    V kept = found == Finding.NOTHING ? null : content;
    boolean fits = !outdated && found != Finding.OTHER;
    boolean storable = fits && loads.shares(request.type(), kept);
    boolean shareable;
    if (asOf - begin > loads.settings().timeout().toNanos()) {
      LOG.warn("A load took longer than its time limit of {}", loads.settings().timeout());
    }
    if (value instanceof UnclearAnswer) {
      release();
      shareable = due == null && storable;
      boolean refreshes = due != null;
      due = null;
      if (refreshes && isPresented()) {
        return;
      }
    } else if (!storable || (lease == null && request.joins())) {
      release();
      shareable = fits && request.joins() && isShared(kept, begin);
    } else {
      // What the loader has read in an older session than it had.
      shareable = !mayMiss(view.used(begin, end)) && isStored(kept);
      release();
    }
    land(Answer.loaded(value), loads.landing(request, kept, shareable, asOf));
  }

  /** Stores a value under the lease, if there is one; false if others must not get it. */
  private boolean isStored(@Nullable V value) {
    Lease held = lease;
    if (held == null) {
      return true;
    }
    lease = null;
    try {
      StoreResult result = cache.store(held, value, request.type());
      GuardedFilter filter = request.passedBy();
      if (filter != null && value == null && result == StoreResult.STORED) {
        filter.foundNothing(request.key());
      }
      return result != StoreResult.REVOKED;
    } catch (CacheUnavailableException e) {
      LOG.debug("The value cache was bypassed", e);
      return false;
    }
  }

  /**
   * Whether the callers that wait get a value that is not kept: unless a write has ended since the
   * load began.
   */
  private boolean isShared(@Nullable V value, long begin) {
    if (flight.getNumberOfDependents() == 0 || !loads.shares(request.type().shareable(), value)) {
      return false;
    }
    try {
      Long last = cache.lastWrite(request.key());
      return last == null || last - begin < 0;
    } catch (CacheUnavailableException e) {
      LOG.debug("The value cache was bypassed", e);
      return true;
    }
  }

  private void release() {
    Lease held = lease;
    if (held != null) {
      lease = null;
      loads.release(cache, held, asksHere());
    }
  }

  // The flight ends before it lands: a caller that learns of the landing must not join it again.

  private void land(Answer<V> landed, Landing<V> landing) {
    if (due != null) {
      loads.refreshes.end(request.key());
    }
    endFlight();
    flight.complete(landing);
    reply(landed, null);
  }

  /** Fails the callers, and holds nothing any more. */
  void fail(Throwable failure) {
    release();
    end(failure);
  }

  /** Fails the callers; a refresh may have the present value in place of the failure. */
  private void end(Throwable failure) {
    if (due != null && !asksHere()) {
      try {
        loads.threads().waiting().execute(() -> end(failure));
        return;
      } catch (RequestShedException e) {
        due = null; // There is no thread to look for the present value.
      }
    }
    endFlight();
    if (CacheLoads.isInterrupted(failure)) {
      // Its callers were not interrupted: one of them leads next.
      flight.complete(Landing.nothing());
    } else {
      flight.completeExceptionally(failure);
    }
    boolean hidden = due != null && isHidden(failure);
    due = null;
    if (!hidden || !isPresented()) {
      reply(null, failure);
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
  private boolean isPresented() {
    Answer<V> present = CacheLoads.answer(request, loads.look(request));
    if (present == null) {
      return false;
    }
    land(present, Landing.nothing());
    return true;
  }

  /** Answers the caller, where its code may run. */
  private void reply(@Nullable Answer<V> found, @Nullable Throwable failure) {
    Runnable end = () -> LoadStages.end(answer, found, failure);
    if (!waits && loads.threads().isWaiting()) {
      loads.threads().execute(end, refusal -> end.run());
    } else {
      end.run();
    }
  }

  private void endFlight() {
    loads.flights.end(request.key(), flight);
  }
}
