package io.bloomguard.guard;

import io.bloomguard.guard.GuardListener.LoadResult;
import io.bloomguard.guard.GuardListener.MutexResult;
import io.bloomguard.guard.KeyedLoads.Request;
import io.bloomguard.guard.KeyedLoads.Right;
import io.bloomguard.guard.SingleFlight.Flight;
import io.bloomguard.guard.SingleFlight.Landing;
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
    Answer<V> cached = loads.lookup(request);
    if (cached != null) {
      return CompletableFuture.completedFuture(cached);
    }
    return join(request, loader, System.nanoTime());
  }

  private <V> CompletableFuture<Answer<V>> join(
      Request<V> request,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      long start) {
    Flight<V> mine = new Flight<>();
    Flight<V> theirs = loads.flights().joinOrStart(request.key(), mine);
    if (theirs == null) {
      return lead(request, loader, start, mine);
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
              if (!landing.shareable()) {
                return join(request, loader, start);
              }
              request.listener().onMutexWait(MutexResult.SHARED, System.nanoTime() - start);
              return CompletableFuture.completedFuture(Answer.cached(landing.value()));
            });
  }

  private <V> CompletableFuture<Answer<V>> lead(
      Request<V> request,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      long start,
      Flight<V> flight) {
    CompletableFuture<Answer<V>> answer = new CompletableFuture<>();
    answer.whenComplete(
        (value, failure) -> {
          if (failure != null) {
            flight.completeExceptionally(failure);
          } else if (!flight.isDone()) {
            flight.complete(new Landing<>(value.value(), true));
          }
          loads.flights().end(request.key(), flight);
        });
    acquire(request, loader, start, flight, answer);
    return answer;
  }

  private <V> void acquire(
      Request<V> request,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      long start,
      Flight<V> flight,
      CompletableFuture<Answer<V>> answer) {
    try {
      Right<V> right = loads.tryAcquire(request, start);
      if (right == null) {
        if (loads.remaining(start) == 0) {
          throw loads.waitedTooLong(request, start);
        }
        LATER.execute(() -> acquire(request, loader, start, flight, answer));
      } else if (right.found() != null) {
        answer.complete(right.found());
      } else {
        enter(right.lease(), request, loader, start, flight, answer);
      }
    } catch (Throwable e) {
      answer.completeExceptionally(e);
    }
  }

  private <V> void enter(
      @Nullable Lease lease,
      Request<V> request,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      long start,
      Flight<V> flight,
      CompletableFuture<Answer<V>> answer) {
    if (loads.bulkhead().tryEnter()) {
      load(lease, request, loader, flight, answer);
    } else if (request.decided() && loads.remaining(start) > 0) {
      LATER.execute(() -> enter(lease, request, loader, start, flight, answer));
    } else {
      releaseIfHeld(lease);
      answer.completeExceptionally(loads.bulkhead().full());
    }
  }

  private <V> void load(
      @Nullable Lease lease,
      Request<V> request,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      Flight<V> flight,
      CompletableFuture<Answer<V>> answer) {
    long begin = System.nanoTime();
    CompletionStage<? extends @Nullable V> stage;
    try {
      stage = loader.get();
    } catch (Throwable e) {
      stage = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<V> load = new CompletableFuture<>();
    stage.whenComplete(
        (value, failure) -> {
          if (failure != null) {
            load.completeExceptionally(unwrapped(failure));
          } else {
            load.complete(value);
          }
        });
    load.orTimeout(loads.settings().timeout().toNanos(), TimeUnit.NANOSECONDS);
    load.whenComplete(
        (value, failure) -> {
          loads.bulkhead().leave();
          request.listener().onLoad(result(value, failure), System.nanoTime() - begin);
          if (failure != null) {
            releaseIfHeld(lease);
            answer.completeExceptionally(failure);
          } else {
            flight.complete(new Landing<>(value, loads.settle(lease, value, begin)));
            answer.complete(Answer.loaded(value));
          }
        });
  }

  private static LoadResult result(@Nullable Object value, @Nullable Throwable failure) {
    if (failure != null) {
      return LoadResult.ERROR;
    }
    return value != null ? LoadResult.FOUND : LoadResult.ABSENT;
  }

  private void releaseIfHeld(@Nullable Lease lease) {
    if (lease != null) {
      loads.release(lease);
    }
  }

  private static CompletionException asCompletion(Throwable failure) {
    return failure instanceof CompletionException wrapped
        ? wrapped
        : new CompletionException(failure);
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
