package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.KeyWrites.AsyncCall;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A write that ends after its method has returned, in a future or publisher. The guard's work
 * before and after it waits on no thread of the caller, unless a transaction is bound to that.
 */
final class AsyncWrite {

  /** The bound on the causes of a failure that are looked at. */
  private static final int CAUSES = 20;

  /** By name, since their libraries may be absent: a time limit, or a connection that is gone. */
  private static final Set<String> UNSEEN =
      Set.of(
          "org.springframework.dao.QueryTimeoutException",
          "org.springframework.dao.DataAccessResourceFailureException",
          "io.r2dbc.spi.R2dbcTimeoutException",
          "io.r2dbc.spi.R2dbcNonTransientResourceException",
          "io.r2dbc.spi.R2dbcTransientResourceException");

  private static final Runnable NOTHING = () -> {};
  private static final Function<@Nullable Object, Supplier<CompletableFuture<?>>> NONE_DRAWN =
      result -> () -> CompletableFuture.completedFuture(null);

  private final AsyncCall call;

  /** Ends with the last step but that of the end. */
  private volatile CompletableFuture<@Nullable Void> begun;

  private final Function<@Nullable Object, Supplier<CompletableFuture<?>>> drawn;
  private final Consumer<End> whenEnded;
  private final Runnable whenNotMade;

  /** Whether the method has been called, or its publisher subscribed to. */
  private volatile boolean made;

  private AsyncWrite(
      AsyncCall call,
      CompletableFuture<@Nullable Void> begun,
      Function<@Nullable Object, Supplier<CompletableFuture<?>>> drawn,
      Consumer<End> whenEnded,
      Runnable whenNotMade) {
    this.call = call;
    this.begun = begun;
    this.drawn = drawn;
    this.whenEnded = whenEnded;
    this.whenNotMade = whenNotMade;
  }

  /**
   * Begins the write of {@code keys} by {@code begin}; {@code end} runs at its end.
   *
   * @param drawn adds the keys of a result, null for none
   */
  @SuppressWarnings(
      "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
  static AsyncWrite put(
      List<WrittenKey> keys,
      Supplier<CompletableFuture<?>> begin,
      Function<@Nullable Object, Supplier<CompletableFuture<?>>> drawn,
      Consumer<End> end) {
    return begun(
        keys,
        call ->
            new AsyncWrite(call, call.run(begin), drawn, end, () -> end.accept(End.ROLLED_BACK)));
  }

  /** A write that drops {@code keys} by {@code evict} at its end, if it was made. */
  static AsyncWrite evict(List<WrittenKey> keys, Consumer<End> evict) {
    return begun(
        keys,
        call ->
            new AsyncWrite(
                call, CompletableFuture.completedFuture(null), NONE_DRAWN, evict, NOTHING));
  }

  /** A write that must not be made if too many calls are under way. */
  private static AsyncWrite begun(List<WrittenKey> keys, Function<AsyncCall, AsyncWrite> write) {
    AsyncCall call;
    try {
      call = call(keys);
    } catch (RequestShedException e) {
      return new AsyncWrite(
          AsyncCall.HERE, CompletableFuture.failedFuture(e), NONE_DRAWN, end -> {}, NOTHING);
    }
    return write.apply(call);
  }

  /** The call of the first filter for which a thread has to wait. */
  private static AsyncCall call(List<WrittenKey> keys) {
    for (WrittenKey key : keys) {
      AsyncCall call = key.writes().beginAsync();
      if (call != AsyncCall.HERE) {
        return call;
      }
    }
    return AsyncCall.HERE;
  }

  /** Completed once the method may run; fails if it must not. */
  CompletableFuture<@Nullable Void> begun() {
    return begun;
  }

  /** Adds the keys that come with the result; null for none. The end awaits it. */
  CompletableFuture<@Nullable Void> addDrawn(@Nullable Object result) {
    Supplier<CompletableFuture<?>> step = drawn.apply(result);
    CompletableFuture<@Nullable Void> next = begun.thenCompose(nothing -> call.run(step));
    begun = next;
    return next;
  }

  /** The answer of the method, which is called, or subscribed to, now. */
  <T> T made(Supplier<T> method) {
    made = true;
    return method.get();
  }

  /** Ends the write, once, after its begin has ended. */
  CompletableFuture<@Nullable Void> end(End end) {
    Runnable last =
        () -> {
          if (made) {
            whenEnded.accept(end);
          } else {
            whenNotMade.run();
          }
        };
    return begun.handle((nothing, failure) -> call).thenCompose(begunOne -> begunOne.end(last));
  }

  /**
   * The end of a write without a transaction, whose method failed or not. A statement may be under
   * way, and commit, although its caller was interrupted, waited no longer or lost its connection.
   */
  static End ended(@Nullable Throwable failure) {
    if (failure == null) {
      return End.COMMITTED;
    }
    int depth = 0;
    for (Throwable e = failure; e != null && depth < CAUSES; e = e.getCause(), depth++) {
      if (isUnseen(e)) {
        return End.UNKNOWN;
      }
    }
    return Thread.currentThread().isInterrupted() ? End.UNKNOWN : End.ROLLED_BACK;
  }

  private static boolean isUnseen(Throwable failure) {
    if (failure instanceof CancellationException
        || failure instanceof InterruptedException
        || failure instanceof TimeoutException
        || failure instanceof IOException
        || failure instanceof SQLTimeoutException
        || failure instanceof SQLRecoverableException
        || failure instanceof SQLNonTransientConnectionException) {
      return true;
    }
    // PostgreSQL's driver has no type for a lost connection, but the state of the SQL standard.
    if (failure instanceof SQLException e && e.getSQLState() != null) {
      return e.getSQLState().startsWith("08");
    }
    for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
      if (UNSEEN.contains(type.getName())) {
        return true;
      }
    }
    return false;
  }

  /**
   * The answer of a method that returns a stage, called within the write. A caller that has
   * cancelled the answer by then needs no call.
   */
  CompletableFuture<@Nullable Object> around(
      ValueLoader<? extends @Nullable Object, Throwable> method) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    CompletableFuture<@Nullable Object> written = new CompletableFuture<>();
    var unused =
        begun.whenComplete(
            (nothing, refusal) -> {
              if (refusal != null) {
                written.completeExceptionally(refusal);
              } else if (answer.isDone()) {
                written.cancel(false);
              } else {
                made(() -> proceed(method, written));
              }
            });
    var unusedToo =
        written.whenComplete(
            (value, failure) ->
                end(ended(failure))
                    .whenComplete(
                        (nothing, trouble) -> {
                          Throwable cause = failure == null ? trouble : failure;
                          if (cause == null) {
                            answer.complete(value);
                          } else {
                            answer.completeExceptionally(Failures.unwrapped(cause));
                          }
                        }));
    return answer;
  }

  private static boolean proceed(
      ValueLoader<? extends @Nullable Object, Throwable> method,
      CompletableFuture<@Nullable Object> written) {
    try {
      ReturnAdapter.pass(method.load(), written);
      return true;
    } catch (Throwable e) {
      return written.completeExceptionally(e);
    }
  }
}
