package io.bloomguard.redis.internal.cache;

import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Failures;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one cache to Redis: their time limits, and the failures that callers get.
 *
 * <p>A single request is a {@link Step}; those of many keys go together.
 */
final class CacheRequests {

  /** The time for which the cache counts as unreachable after Redis took too long. */
  private static final Duration QUIET = Duration.ofSeconds(1);

  /** The silence after which Redis counts as gone, not as slow. */
  private static final Duration SILENT = Duration.ofSeconds(2);

  /** The most writes under way, so that many keys do not wait for each hundred. */
  private static final int WRITES_AT_ONCE = 2_500;

  /** The writes that share one time limit: few enough for a busy Redis to meet it. */
  static final int WRITES_IN_TIME = 100;

  private final String cache;
  private final RedisLink link;
  private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

  CacheRequests(String cache, RedisLink link) {
    this.cache = cache;
    this.link = link;
  }

  /**
   * A step at the cache.
   *
   * @param patient whether the step cannot be left out and has more time than a check
   */
  <S, T extends @Nullable Object> Step<S, T> step(
      boolean patient, Supplier<CompletableFuture<S>> request, Function<@Nullable S, T> reader) {
    return new Step<>(patient, request, reader);
  }

  /**
   * Sends a request for every key, or part, of a chunk before it waits for the first answer. The
   * time limit applies to progress: it begins again with every hundredth answer.
   */
  <K> void sendAll(List<K> keys, Function<K, CompletableFuture<?>> request) {
    for (int from = 0; from < keys.size(); from += WRITES_AT_ONCE) {
      List<K> chunk = keys.subList(from, Math.min(keys.size(), from + WRITES_AT_ONCE));
      requireAnswers();
      try {
        List<? extends CompletableFuture<?>> sent = chunk.stream().map(request).toList();
        long end = 0;
        for (int i = 0; i < sent.size(); i++) {
          if (i % WRITES_IN_TIME == 0) {
            end = System.nanoTime() + RedisConnections.WRITE.toNanos();
          }
          Replies.await(sent.get(i), Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
        link.breaker().answered();
      } catch (RedisUnavailableException e) {
        throw missed(e);
      }
    }
  }

  /**
   * Refuses an operation that has more time than a check while the cache counts as unreachable. It
   * does for a moment after one took too long, so that a hanging Redis does not hold every caller
   * up.
   */
  private void requireAnswers() {
    if (System.nanoTime() - quietUntil.get() < 0) {
      throw new CacheUnavailableException(
          "Cache '" + cache + "': Redis took too long a moment ago", null);
    }
  }

  /** Notes that such an operation was not done, and returns its exception. */
  private CacheUnavailableException missed(RedisUnavailableException e) {
    boolean late = e.getCause() instanceof TimeoutException;
    if (late) {
      link.unanswered();
    }
    if (late && link.session() != null && link.breaker().silence() < SILENT.toNanos()) {
      return new CacheUnavailableException("Cache '" + cache + "': " + e.getMessage(), e, true);
    }
    if (late) {
      quietUntil.set(System.nanoTime() + QUIET.toNanos());
    }
    return unavailable(e);
  }

  CacheUnavailableException unavailable(RedisUnavailableException e) {
    return new CacheUnavailableException("Cache '" + cache + "': " + e.getMessage(), e);
  }

  /**
   * A step at the cache: what is sent to Redis, and how its reply is read. The calling thread waits
   * for the reply, or an executor gets it.
   */
  final class Step<S, T extends @Nullable Object> {

    private final boolean patient;
    private final Supplier<CompletableFuture<S>> request;
    private final Function<@Nullable S, T> reader;

    private Step(
        boolean patient, Supplier<CompletableFuture<S>> request, Function<@Nullable S, T> reader) {
      this.patient = patient;
      this.request = request;
      this.reader = reader;
    }

    T await() {
      return await(sent());
    }

    /** Sends the request; the supplier waits for the reply. */
    Supplier<T> begin() {
      CompletableFuture<S> reply = sent();
      return () -> await(reply);
    }

    private T await(CompletableFuture<S> reply) {
      try {
        return read(patient ? Replies.await(reply, RedisConnections.WRITE) : link.await(reply));
      } catch (RedisUnavailableException e) {
        throw failed(e);
      }
    }

    CompletableFuture<T> later(Executor threads) {
      CompletableFuture<S> reply;
      try {
        reply = sent();
      } catch (CacheUnavailableException e) {
        return CompletableFuture.failedFuture(e);
      }
      return (patient
              ? Replies.inTime(reply, RedisConnections.WRITE)
              : link.inTime(reply, link.timeout()))
          .handleAsync(
              (answer, failure) -> {
                if (failure == null) {
                  return read(answer);
                }
                throw Failures.unwrapped(failure) instanceof RedisUnavailableException unavailable
                    ? failed(unavailable)
                    : new IllegalStateException(failure);
              },
              threads);
    }

    private CompletableFuture<S> sent() {
      if (patient) {
        requireAnswers();
      }
      return patient || link.breaker().allows() ? request.get() : link.disconnected();
    }

    private T read(@Nullable S answer) {
      T result = reader.apply(answer);
      link.breaker().answered();
      return result;
    }

    private CacheUnavailableException failed(RedisUnavailableException e) {
      return patient ? missed(e) : unavailable(e);
    }
  }
}
