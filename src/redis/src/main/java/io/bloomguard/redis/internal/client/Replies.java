package io.bloomguard.redis.internal.client;

import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Redis' replies within a time limit. Each failure becomes a {@link RedisUnavailableException} with
 * the client's as its cause.
 */
public final class Replies {

  private Replies() {}

  /**
   * Waits for a reply.
   *
   * @throws RedisUnavailableException if none came in time, or an error; its cause is Lettuce's
   */
  public static <T> @Nullable T await(Future<T> answer, Duration timeout) {
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw unavailable(e, timeout);
    } catch (InterruptedException e) {
      answer.cancel(false);
      Thread.currentThread().interrupt();
      throw new RedisUnavailableException("Interrupted while waiting for Redis", e);
    } catch (ExecutionException | CompletionException | CancellationException e) {
      throw unavailable(e, timeout);
    }
  }

  /** The answer of a command within a time, for a caller that does not wait. */
  public static <T> CompletableFuture<T> inTime(CompletableFuture<T> answer, Duration timeout) {
    return answer
        .copy()
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return value;
              }
              if (failure instanceof TimeoutException) {
                answer.cancel(false);
              }
              throw unavailable(failure, timeout);
            });
  }

  private static RedisUnavailableException unavailable(Throwable failure, Duration timeout) {
    Throwable cause = failure.getCause();
    if (cause != null
        && (failure instanceof CompletionException || failure instanceof ExecutionException)) {
      return unavailable(cause, timeout);
    }
    if (failure instanceof RedisUnavailableException unavailable) {
      return unavailable;
    }
    if (failure instanceof TimeoutException) {
      return new RedisUnavailableException("Redis did not answer within " + timeout, failure);
    }
    if (failure instanceof CancellationException) {
      return new RedisUnavailableException("The command was given up", failure);
    }
    String what =
        failure instanceof RedisCommandExecutionException
            ? "Redis refused a command: "
            : "Redis could not be asked: ";
    return new RedisUnavailableException(what + words(failure), failure);
  }

  /**
   * The words of a failure and of its deepest cause; the names of their types where they have none.
   */
  static String words(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String first = said(failure);
    String last = said(root);
    return first.contains(last) ? first : first + ": " + last;
  }

  private static String said(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank()
        ? failure.getClass().getSimpleName()
        : message.strip().replaceFirst("\\.$", "");
  }
}
