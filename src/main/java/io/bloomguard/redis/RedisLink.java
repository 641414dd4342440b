package io.bloomguard.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection that is opened in the background when first asked for, and again after a failure.
 *
 * <p>No caller of {@link #send} ever waits for a connection: without one the command fails at once.
 */
final class RedisLink implements AutoCloseable {

  /** The shortest time between two attempts to connect. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Supplier<StatefulConnection<byte[], byte[]>> connector;
  private final Duration timeout;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable StatefulConnection<byte[], byte[]> connection;
  private volatile CountDownLatch attempt = new CountDownLatch(0);
  private long nextAttempt = System.nanoTime();
  private boolean closed;

  RedisLink(Supplier<StatefulConnection<byte[], byte[]>> connector, Duration timeout) {
    this.connector = connector;
    this.timeout = timeout;
  }

  /** How long a command on this link may take. */
  Duration timeout() {
    return timeout;
  }

  /** Sends a command; the future fails at once where there is no connection. */
  <T> CompletableFuture<T> send(
      ProtocolKeyword command,
      CommandOutput<byte[], byte[], T> output,
      CommandArgs<byte[], byte[]> args) {
    return call(commands -> commands.dispatch(command, output, args));
  }

  /** Calls a command of the client; the future fails at once where there is no connection. */
  <T> CompletableFuture<T> call(
      Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> call) {
    StatefulConnection<byte[], byte[]> now = connection;
    if (now == null) {
      connectInBackground();
      return CompletableFuture.failedFuture(
          new RedisUnavailableException("Redis is not connected", null));
    }
    try {
      return call.apply(RedisConnections.commands(now)).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Waits for an answer as long as this link allows. */
  <T> @Nullable T await(Future<T> answer) {
    return await(answer, timeout);
  }

  /**
   * Waits for an answer.
   *
   * @throws RedisUnavailableException if none came in time, or an error; its cause is Lettuce's
   */
  static <T> @Nullable T await(Future<T> answer, Duration timeout) {
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw new RedisUnavailableException("Redis did not answer within " + timeout, e);
    } catch (InterruptedException e) {
      answer.cancel(false);
      Thread.currentThread().interrupt();
      throw new RedisUnavailableException("Interrupted while waiting for Redis", e);
    } catch (ExecutionException | CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw cause instanceof RedisUnavailableException unavailable
          ? unavailable
          : new RedisUnavailableException("Redis refused a command: " + cause.getMessage(), cause);
    } catch (CancellationException e) {
      throw new RedisUnavailableException("The command was given up", e);
    }
  }

  /** Waits until a connection has been opened, at most as long as given; true if it was. */
  boolean awaitConnected(Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    while (connection == null) {
      connectInBackground();
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        // Bounded by the retry interval: an attempt that failed lets a later one begin.
        if (attempt.await(Math.min(left, RETRY_NANOS), TimeUnit.NANOSECONDS)
            && connection == null) {
          TimeUnit.NANOSECONDS.sleep(Math.min(left, RETRY_NANOS / 4));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  /** Opens no more connections. The client that opened them closes them. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      connection = null;
    } finally {
      lock.unlock();
    }
  }

  static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  private void connectInBackground() {
    if (!lock.tryLock()) {
      return;
    }
    try {
      long now = System.nanoTime();
      if (closed || connection != null || attempt.getCount() > 0 || now - nextAttempt < 0) {
        return;
      }
      CountDownLatch ended = new CountDownLatch(1);
      attempt = ended;
      Thread thread = new Thread(() -> connect(ended), "bloomguard-redis-connect");
      thread.setDaemon(true);
      thread.start();
    } finally {
      lock.unlock();
    }
  }

  private void connect(CountDownLatch ended) {
    StatefulConnection<byte[], byte[]> opened = null;
    try {
      opened = connector.get();
    } catch (RuntimeException e) {
      // Whoever asks next tries again; the state of the filter tells that Redis is missing.
      opened = null;
    } finally {
      lock.lock();
      try {
        connection = closed ? null : opened;
        nextAttempt = System.nanoTime() + RETRY_NANOS;
      } finally {
        lock.unlock();
        ended.countDown();
      }
    }
  }
}
