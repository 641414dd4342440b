package io.bloomguard.guard;

import io.bloomguard.guard.GuardListener.LoadListener;
import io.bloomguard.guard.GuardListener.MutexResult;
import io.bloomguard.guard.KeyedLoads.Request;
import io.bloomguard.guard.KeyedLoads.Right;
import io.bloomguard.guard.SingleFlight.Flight;
import io.bloomguard.guard.SingleFlight.Landing;
import io.bloomguard.guard.load.Place;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@link KeyedLoads} for loads that end on another thread: the same rules, no thread blocked. */
final class AsyncLoads {

  private static final Executor LATER =
      CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

  private final KeyedLoads loads;

  AsyncLoads(KeyedLoads loads) {
    this.loads = loads;
  }

  /** As {@link KeyedLoads#get}. The first attempt to load begins on the calling thread. */
  <V> CompletableFuture<Answer<V>> get(
      Request<V> request, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    Cached<V> held = loads.look(request);
    if (held instanceof Cached.Due<V> due && loads.shares(request)) {
      return refresh(request, due, loader);
    }
    Answer<V> cached = KeyedLoads.answer(request, held);
    if (cached != null) {
      return CompletableFuture.completedFuture(cached);
    }
    return join(request, loader, loads.view(), System.nanoTime());
  }

  /** As {@link RefreshLoads#get}. */
  private <V> CompletableFuture<Answer<V>> refresh(
      Request<V> request,
      Cached.Due<V> due,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    ReadView view = loads.view();
    Flight<V> flight = Flight.elsewhere();
    Right<V> right = loads.refreshes().begin(request, due, flight, view);
    if (right.found() != null) {
      return CompletableFuture.completedFuture(right.found());
    }
    long start = System.nanoTime();
    Leader<V> leader = new Leader<>(request.refreshing(), loader, view, start, flight);
    leader.enter(right);
    return leader.answer.handle(
        (loaded, failure) -> {
          if (failure == null) {
            loads.refreshes().succeeded(request);
            return loaded;
          }
          Throwable cause = LoadStages.unwrapped(failure);
          Answer<V> present = loads.refreshes().present(request, view, cause);
          if (present == null) {
            throw asCompletion(cause);
          }
          return present;
        });
  }

  private <V> CompletableFuture<Answer<V>> join(
      Request<V> request,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      ReadView view,
      long start) {
    long came = System.nanoTime();
    Flight<V> mine = Flight.elsewhere();
    Flight<V> theirs =
        loads.shares(request) ? loads.flights().joinOrStart(request.key(), mine) : null;
    if (theirs == null) {
      return lead(request, loader, view, start, mine);
    }
    return theirs
        .copy()
        .orTimeout(loads.remaining(start), TimeUnit.NANOSECONDS)
        .handle(
            (landing, failure) -> {
              if (failure instanceof TimeoutException) {
                throw loads.waitedTooLong(request, start);
              }
              if (failure != null) {
                throw asCompletion(failure);
              }
              return landing;
            })
        .thenCompose(
            landing -> {
              Answer<V> shared = loads.joined(request, landing, came);
              if (shared == null) {
                return join(request, loader, view, start);
              }
              request.listener().onMutexWait(MutexResult.SHARED, System.nanoTime() - start);
              return CompletableFuture.completedFuture(shared);
            });
  }

  private <V> CompletableFuture<Answer<V>> lead(
      Request<V> request,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      ReadView view,
      long start,
      Flight<V> flight) {
    Leader<V> leader = new Leader<>(request, loader, view, start, flight);
    leader.acquire();
    return leader.answer;
  }

  /** One flight from the lease to its landing. */
  private final class Leader<V> {

    final CompletableFuture<Answer<V>> answer = new CompletableFuture<>();
    private final Request<V> request;
    private final Supplier<? extends CompletionStage<? extends @Nullable V>> loader;
    private final ReadView view;
    private final long start;
    private final Flight<V> flight;
    private final @Nullable Place within = Place.current();

    Leader(
        Request<V> request,
        Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
        ReadView view,
        long start,
        Flight<V> flight) {
      this.request = request;
      this.loader = loader;
      this.view = view;
      this.start = start;
      this.flight = flight;
    }

    void acquire() {
      try {
        Right<V> right = loads.tryAcquire(request, view, start);
        if (right == null) {
          if (loads.remaining(start) == 0) {
            throw loads.waitedTooLong(request, start);
          }
          LATER.execute(this::acquire);
        } else if (right.found() != null) {
          Answer<V> found = right.found();
          loads.flights().end(request.key(), flight);
          land(found, loads.landing(request, found.value(), true, right.asOf()));
        } else {
          enter(right);
        }
      } catch (Throwable e) {
        fail(e);
      }
    }

    private void enter(Right<V> right) {
      long nanos = loads.queueing(request.queues(), start);
      var unused =
          loads
              .bulkhead()
              .enterLater(within, nanos)
              .whenComplete(
                  (place, failure) -> {
                    if (failure == null) {
                      load(right, place);
                    } else {
                      loads.giveUp(right);
                      fail(failure);
                    }
                  });
    }

    /**
     * Loads. A load that is over its time limit fails its callers, but keeps its place and its
     * lease until it really ends: what it burdens is not free before.
     */
    private void load(Right<V> right, Place place) {
      long begin = System.nanoTime();
      CompletableFuture<Object> ended = new CompletableFuture<>();
      var unused =
          ended
              .copy()
              .orTimeout(loads.settings().timeout().toNanos(), TimeUnit.NANOSECONDS)
              .whenComplete(
                  (value, failure) -> {
                    if (failure != null) {
                      overdue(right, failure, ended);
                    }
                  });
      LoadListener listener;
      CompletionStage<? extends @Nullable V> stage;
      try {
        listener = request.listener().onLoad();
        stage = stage(listener, place);
      } catch (Throwable e) {
        place.close();
        loads.giveUp(right);
        ended.complete(true);
        fail(e);
        return;
      }
      stage.whenComplete(
          (value, failure) -> {
            place.close();
            try {
              listener.onEnd(LoadStages.result(value, failure), System.nanoTime() - begin);
              if (failure == null) {
                land(Answer.loaded(value), loads.stored(request, flight, right, value, begin));
              } else {
                loads.giveUp(right);
                fail(LoadStages.unwrapped(failure));
              }
            } catch (Throwable e) {
              fail(e);
            }
            ended.complete(true);
          });
    }

    private CompletionStage<? extends @Nullable V> stage(LoadListener listener, Place place) {
      try {
        return LoadStages.begin(loader, place);
      } finally {
        listener.onReturn();
      }
    }

    /**
     * Fails the callers. Others may load now, as soon as they get the lease; without one it is the
     * flight that keeps them from loading beside this load, for as long as a lease would.
     */
    private void overdue(Right<V> right, Throwable failure, CompletableFuture<Object> ended) {
      if (right.lease() != null) {
        fail(failure);
        return;
      }
      var unused =
          ended
              .orTimeout(loads.settings().maxQueue().toNanos(), TimeUnit.NANOSECONDS)
              .whenComplete((value, late) -> loads.flights().end(request.key(), flight));
      flight.completeExceptionally(failure);
      answer.completeExceptionally(failure);
    }

    // The flight ends before it lands: who hears of the landing must not join it again.

    private void land(Answer<V> landed, Landing<V> landing) {
      flight.complete(landing);
      answer.complete(landed);
    }

    private void fail(Throwable failure) {
      loads.flights().end(request.key(), flight);
      flight.completeExceptionally(failure);
      answer.completeExceptionally(failure);
    }
  }

  private static CompletionException asCompletion(Throwable failure) {
    return failure instanceof CompletionException wrapped
        ? wrapped
        : new CompletionException(failure);
  }
}
