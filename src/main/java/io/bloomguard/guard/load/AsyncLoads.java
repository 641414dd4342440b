package io.bloomguard.guard.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheLookup.Due;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.GuardListener.LoadListener;
import io.bloomguard.guard.GuardListener.MutexResult;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.load.LoadThreads.Timeout;
import io.bloomguard.guard.load.SingleFlight.Flight;
import io.bloomguard.guard.load.SingleFlight.Landing;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads that end on another thread, by the rules of {@link KeyedLoads} and without blocking a
 * thread.
 *
 * <p>A call runs on the calling thread until it first has to wait, then on {@link LoadThreads}. It
 * asks the cache through {@link AsyncValueCache}, except inside a transaction of the calling
 * thread: its load belongs into that transaction, so the call stays on that thread as long as it
 * waits for nothing but the cache.
 */
public final class AsyncLoads {

  private static final Logger LOG = LoggerFactory.getLogger(AsyncLoads.class);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final LoadSteps steps;
  private final LoadThreads threads;

  public AsyncLoads(LoadSteps steps) {
    this.steps = steps;
    this.threads = steps.threads();
  }

  /**
   * The value of a key from the cache, from another caller's load, or from {@code loader}.
   *
   * <p>Between its lookup and its load a caller may wait for a flight, a lease and a place,
   * together no longer than {@code mutex.wait}.
   */
  public <V> CompletableFuture<Answer<V>> get(
      LoadRequest<V> request, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    if (!threads.tryBegin()) {
      return CompletableFuture.failedFuture(
          new RequestShedException("Too many asynchronous calls are under way", RETRY_AFTER));
    }
    Call<V> call = new Call<>(request, loader);
    var unused =
        call.answer.whenComplete(
            (answer, failure) -> {
              cancel(call.wait);
              threads.end();
            });
    call.begin();
    return call.answer;
  }

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

  /** One call, from the lookup in the cache to the answer. */
  private final class Call<V> {

    final CompletableFuture<Answer<V>> answer = new CompletableFuture<>();
    private final LoadRequest<V> request;
    private final Supplier<? extends CompletionStage<? extends @Nullable V>> loader;
    private final ReadView view = steps.view();
    private final @Nullable Place within = Place.current();
    private final long start = System.nanoTime();

    /** Whether the load has its turn, or the wait for it is over. */
    private final AtomicBoolean turned = new AtomicBoolean();

    /** Whether the load has begun. */
    private volatile boolean begun;

    private final boolean inTransaction = steps.inTransaction();
    private volatile boolean onCaller = steps.staysOnThread();
    private volatile @Nullable Timeout wait;

    /** The value that is to be loaded before it expires; null for none. */
    private volatile @Nullable Due<V> due;

    /** The flight that this call leads; null while it leads none. */
    private volatile @Nullable Flight<V> flight;

    Call(
        LoadRequest<V> request, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
      this.request = request;
      this.loader = loader;
    }

    void begin() {
      if (!steps.isWrittenHere(request.key())) {
        look();
        return;
      }
      try {
        alone();
      } catch (Throwable e) {
        fail(e);
      }
    }

    /** Loads for its caller alone, in no flight. */
    private void alone() {
      enter(LoadPermit.toLoad(null, true));
    }

    private void look() {
      step(
          () -> cache().lookup(request.key(), request.type()),
          (cached, failure) -> {
            if (cached instanceof Due<V> found && steps.shares(request)) {
              refresh(found);
              return;
            }
            Answer<V> hit = failure == null ? LoadSteps.answer(request, cached) : null;
            if (hit != null) {
              answer.complete(hit);
              return;
            }
            wait = threads.after(steps.remaining(start), this::expire);
            join();
          });
    }

    /** Loads a value that is due, in its turn; or answers with the present one. */
    private void refresh(Due<V> found) {
      Flight<V> mine = Flight.elsewhere();
      if (!steps.refreshes().tryBegin(request, mine)) {
        answer.complete(Answer.cached(found.value()));
        return;
      }
      flight = mine;
      due = found;
      step(
          () -> cache().tryLease(request.key()),
          (lease, failure) -> {
            if (lease == null) {
              present(found);
              return;
            }
            step(
                lease,
                () -> cache().lookAgain(request.key(), request.type()),
                (now, missed) -> refresh(lease, missed == null ? now : null));
          });
    }

    private void refresh(Lease lease, @Nullable CacheLookup<V> now) {
      Due<V> found = Objects.requireNonNull(due);
      if (now == null) {
        release(lease);
        present(found);
        return;
      }
      checked(
          lease,
          permit -> {
            if (RefreshTurns.isToLoad(now, found, permit.outdated())) {
              enter(permit);
              return;
            }
            release(lease);
            present(now);
          });
    }

    /** Answers without a load. */
    private void present(CacheLookup<V> now) {
      Flight<V> mine = flight;
      if (mine != null) {
        steps.refreshes().landNothing(request, mine);
      }
      Answer<V> present = LoadSteps.answer(request, now);
      answer.complete(
          present == null ? Answer.cached(Objects.requireNonNull(due).value()) : present);
    }

    private AsyncValueCache cache() {
      ValueCache cache = request.cache();
      return onCaller ? AsyncValueCache.onCallingThread(cache) : cache.async(threads);
    }

    /**
     * Takes a step and continues with its outcome: on this thread if it is available, else on the
     * thread that completes it.
     */
    private <T> void step(Supplier<CompletableFuture<T>> step, Next<T> next) {
      step(null, step, next);
    }

    /** Takes a step with a lease in hand, which ends if the step fails in an unforeseen way. */
    private <T> void step(@Nullable Lease held, Supplier<CompletableFuture<T>> step, Next<T> next) {
      CompletableFuture<T> outcome;
      try {
        outcome = step.get();
      } catch (Throwable e) {
        outcome = CompletableFuture.failedFuture(e);
      }
      var unused = outcome.whenComplete((value, failure) -> go(held, next, value, failure));
    }

    private <T> void go(
        @Nullable Lease held, Next<T> next, T outcome, @Nullable Throwable failure) {
      Throwable cause = failure == null ? null : LoadStages.unwrapped(failure);
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

    private void join() {
      long came = System.nanoTime();
      Flight<V> mine = Flight.elsewhere();
      Flight<V> theirs =
          steps.shares(request) ? steps.flights().joinOrStart(request.key(), mine) : null;
      if (theirs == null) {
        flight = mine;
        acquire();
        return;
      }
      if (theirs.isAround(within)) {
        // The loader of this key asks for it again: it would wait for itself.
        alone();
        return;
      }
      var unused =
          theirs.whenComplete(
              (landing, failure) ->
                  threads.execute(
                      () -> {
                        if (failure != null) {
                          fail(LoadStages.unwrapped(failure));
                        } else if (!answer.isDone()) {
                          landed(landing, came);
                        }
                      },
                      this::fail));
    }

    private void landed(Landing<V> landing, long came) {
      try {
        Answer<V> shared = steps.joined(request, landing, came);
        onCaller = false;
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

    /** Asks for the permit to load, as {@link LoadSteps#tryAcquire}. */
    private void acquire() {
      if (!answer.isDone()) {
        step(() -> cache().tryLease(request.key()), this::leased);
      }
    }

    private void leased(@Nullable Lease lease, @Nullable CacheUnavailableException failure) {
      if (answer.isDone()) {
        release(lease);
      } else if (!steps.shares(request)) {
        if (lease == null) {
          enter(LoadPermit.toLoad(null, true));
        } else {
          checked(lease, this::enter);
        }
      } else if (failure != null) {
        unreachable(failure);
      } else {
        long asOf = System.nanoTime();
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
      Answer<V> found = LoadSteps.answer(request, cached);
      if (found != null) {
        release(lease);
        request.listener().onMutexWait(MutexResult.SHARED, System.nanoTime() - start);
        land(found, steps.landing(request, found.value(), true, asOf));
      } else if (lease == null) {
        again();
      } else {
        request.listener().onMutexWait(MutexResult.ACQUIRED, System.nanoTime() - start);
        checked(lease, this::enter);
      }
    }

    /** Asks a slow cache again; without a cache the flight alone gives the permit to load. */
    private void unreachable(CacheUnavailableException failure) {
      if (failure.isSlow()) {
        again();
      } else {
        enter(LoadPermit.toLoad(null, inTransaction));
      }
    }

    private void again() {
      if (steps.remaining(start) == 0) {
        expire();
        return;
      }
      onCaller = false;
      var unused =
          threads.after(Math.min(PAUSE, steps.remaining(start)), this::acquire, this::fail);
    }

    /** Finds out whether the load may see a row that is older than the lease. */
    private void checked(Lease lease, Consumer<LoadPermit<V>> next) {
      if (!view.mayBeOld()) {
        next.accept(LoadPermit.toLoad(lease, false));
        return;
      }
      step(
          lease,
          () -> cache().lastWrite(request.key()),
          (last, failure) ->
              next.accept(LoadPermit.toLoad(lease, failure != null || view.mayLack(last))));
    }

    private void expire() {
      if (turned.compareAndSet(false, true)) {
        fail(steps.waitedTooLong(request, start));
      }
    }

    private void enter(LoadPermit<V> permit) {
      if (!turned.compareAndSet(false, true)) {
        release(permit.lease());
        return;
      }
      cancel(wait);
      var unused =
          steps
              .bulkhead()
              .enterAsync(within, steps.queueing(loading().queues(), start))
              .whenComplete(
                  (place, failure) -> {
                    if (failure == null) {
                      load(permit, place);
                    } else {
                      release(permit.lease());
                      fail(failure);
                    }
                  });
    }

    /**
     * Loads. A load that exceeds its time limit fails its callers, but keeps its place and its
     * lease until it really ends: it burdens the database until then.
     */
    private void load(LoadPermit<V> permit, Place place) {
      begun = true;
      long begin = System.nanoTime();
      Timeout limit = null;
      LoadListener listener;
      CompletionStage<? extends @Nullable V> stage;
      try {
        limit = threads.after(steps.settings().timeout().toNanos(), () -> overdue(permit));
        listener = loading().listener().onLoad();
        stage = stage(listener, place);
      } catch (Throwable e) {
        cancel(limit);
        place.close();
        release(permit.lease());
        fail(e);
        return;
      }
      Timeout timeout = limit;
      stage.whenComplete(
          (value, failure) -> {
            timeout.cancel();
            place.close();
            try {
              listener.onEnd(LoadStages.result(value, failure), System.nanoTime() - begin);
              if (failure == null) {
                // What the loader has read in an older session than it had.
                boolean old = view.used(begin, steps.view()).mayBeOld();
                settle(old ? LoadPermit.toLoad(permit.lease(), true) : permit, value, begin);
              } else {
                release(permit.lease());
                fail(LoadStages.unwrapped(failure));
              }
            } catch (Throwable e) {
              fail(e);
            }
          });
    }

    private CompletionStage<? extends @Nullable V> stage(LoadListener listener, Place place) {
      Flight<V> mine = flight;
      if (mine != null) {
        mine.loadsIn(place);
      }
      try {
        return LoadStages.begin(loader, place);
      } finally {
        listener.onReturn();
      }
    }

    /**
     * Fails the callers. Other callers may load now, as soon as they get the lease. Without a lease
     * the flight keeps them from loading beside this load, for as long as a lease would.
     */
    private void overdue(LoadPermit<V> permit) {
      TimeoutException failure = new TimeoutException();
      Flight<V> mine = flight;
      if (permit.lease() != null || mine == null) {
        fail(failure);
        return;
      }
      mine.completeExceptionally(failure);
      answer.completeExceptionally(failure);
      var unused =
          threads.after(
              steps.settings().maxQueue().toNanos(),
              () -> steps.flights().end(request.key(), mine));
    }

    /** Stores the loaded value, as {@link LoadSteps#stored}. */
    private void settle(LoadPermit<V> permit, @Nullable V value, long begin) {
      endFlight();
      long asOf = System.nanoTime();
      Lease lease = permit.lease();
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      V kept = request.type().kept(value);
      boolean storable = steps.isStorable(request, permit, kept, took);
      if (!storable || lease == null) {
        if (!storable) {
          release(lease);
        }
        land(Answer.loaded(value), steps.landing(request, kept, storable, asOf));
        return;
      }
      // A transaction may have ended with the load: no later step may run inside it.
      onCaller = false;
      step(
          () -> cache().store(lease, kept, request.type()),
          (result, failure) ->
              land(
                  Answer.loaded(value),
                  steps.landing(
                      request, kept, failure == null && result != StoreResult.REVOKED, asOf)));
    }

    private void release(@Nullable Lease lease) {
      if (lease != null) {
        steps.releaseAsync(request.cache(), lease);
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

    private void fail(Throwable failure) {
      endFlight();
      Flight<V> mine = flight;
      if (mine != null) {
        mine.completeExceptionally(failure);
      }
      boolean hidden = due != null && RefreshTurns.isHidden(request, inTransaction, failure, begun);
      due = null;
      if (!hidden) {
        answer.completeExceptionally(failure);
        return;
      }
      step(
          () -> cache().lookup(request.key(), request.type()),
          (cached, missed) -> {
            Answer<V> present = missed == null ? LoadSteps.answer(request, cached) : null;
            if (present == null) {
              answer.completeExceptionally(failure);
            } else {
              answer.complete(present);
            }
          });
    }

    /** The request of the load: a refresh, which can be left out, does not queue. */
    private LoadRequest<V> loading() {
      return due == null ? request : request.refreshing();
    }

    private void endFlight() {
      Flight<V> mine = flight;
      if (mine != null) {
        steps.flights().end(request.key(), mine);
      }
    }
  }

  private static void cancel(@Nullable Timeout timeout) {
    if (timeout != null) {
      timeout.cancel();
    }
  }
}
