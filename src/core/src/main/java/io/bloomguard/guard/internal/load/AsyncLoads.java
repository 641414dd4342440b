package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
      return CompletableFuture.failedFuture(LoadThreads.tooManyCalls());
    }
    Scheduled<V> call = new Scheduled<>(request, loader);
    var unused =
        call.answer.whenComplete(
            (answer, failure) -> {
              cancel(call.wait);
              threads.end();
            });
    try {
      if (steps.isWrittenHere(request.key())) {
        call.alone();
      } else {
        call.look();
      }
    } catch (Throwable e) {
      call.fail(e);
    }
    return call.answer;
  }

  /** A load whose waits end on {@link LoadThreads}. */
  private final class Scheduled<V> extends KeyLoad<V> {

    private final Supplier<? extends CompletionStage<? extends @Nullable V>> loader;

    /** Whether the call stays on the calling thread. */
    private volatile boolean stays = steps.staysOnThread();

    private volatile @Nullable Timeout wait;

    Scheduled(
        LoadRequest<V> request, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
      super(AsyncLoads.this.steps, request);
      this.loader = loader;
    }

    @Override
    AsyncValueCache cache() {
      return stays ? onCaller : cacheToRelease();
    }

    @Override
    AsyncValueCache cacheToRelease() {
      return request.cache().async(threads);
    }

    @Override
    Flight<V> newFlight() {
      return Flight.elsewhere();
    }

    @Override
    void join() {
      if (wait == null) {
        wait = threads.after(steps.remaining(start), this::expire);
      }
      super.join();
    }

    @Override
    void await(Flight<V> theirs, long came) {
      var unused =
          theirs.whenComplete(
              (landing, failure) ->
                  threads.execute(
                      () -> {
                        stays = false;
                        if (failure != null) {
                          fail(Failures.unwrapped(failure));
                        } else if (!answer.isDone()) {
                          landed(landing, came);
                        }
                      },
                      this::fail));
    }

    @Override
    void again() {
      if (steps.remaining(start) == 0) {
        expire();
        return;
      }
      stays = false;
      var unused =
          threads.after(Math.min(PAUSE, steps.remaining(start)), this::acquire, this::fail);
    }

    @Override
    void load(LoadPermit permit) {
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
    private void load(LoadPermit permit, Place place) {
      begin(place);
      long begin = System.nanoTime();
      Timeout limit = null;
      LoadListener listener;
      CompletionStage<? extends @Nullable V> stage;
      try {
        limit = threads.after(steps.settings().timeout().toNanos(), () -> overdue(permit));
        listener = loading().listener().onLoad();
        stage = LoadStages.begin(loader, place);
        listener.onReturn();
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
                // A transaction may have ended with the load: no later step may run inside it.
                stays = false;
                loaded(permit, value, begin);
              } else {
                release(permit.lease());
                fail(Failures.unwrapped(failure));
              }
            } catch (Throwable e) {
              fail(e);
            }
          });
    }

    /**
     * Fails the callers. Other callers may load now, as soon as they get the lease. Without a lease
     * the flight keeps them from loading beside this load, for as long as a lease would.
     */
    private void overdue(LoadPermit permit) {
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
  }

  private static void cancel(@Nullable Timeout timeout) {
    if (timeout != null) {
      timeout.cancel();
    }
  }
}
