package io.bloomguard.redis.internal.client;

import io.bloomguard.guard.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one master: a session that is opened in the background on first use, and another one,
 * perhaps to another server, after it has ended.
 *
 * <p>No caller of {@link #send} ever waits for a connection: without one the command fails at once.
 */
public class RedisLink {

  /** The shortest time between two attempts to connect. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** A connection that leaves commands unanswered for so long is closed. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The server is too slow after so many looks in a row. */
  private static final int SLOW_LOOKS = 3;

  private static final String UNCONNECTED =
      "Redis is not connected: %s. Check spring.data.redis.host, port, username, password, database"
          + " and ssl.enabled";

  private static final String SLOW =
      "Redis answers later than bloomguard.redis.command-timeout (%d ms), so each check that asks"
          + " it is UNKNOWN: raise it above the time of a round trip";

  private static final Logger log = LoggerFactory.getLogger(RedisLink.class);

  private final Supplier<RedisSession> connector;
  private final Duration timeout;
  private final Breaker breaker = new Breaker(System::nanoTime);
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable RedisSession session;
  private volatile CompletableFuture<@Nullable Void> attempt =
      CompletableFuture.completedFuture(null);
  private volatile boolean closed;
  private volatile boolean explained;
  private volatile @Nullable OneServer onlyLast;

  /** The words of the last attempt to connect, if it failed. */
  private volatile @Nullable String failure;

  /** How often in a row the server was slower than this link's time limit, when last looked at. */
  private volatile int slow;

  private long nextAttempt = System.nanoTime();

  /**
   * Creates a link that connects on first use.
   *
   * @param connector opens a session to the present master, or throws
   * @param timeout the time limit of a command on this link
   */
  public RedisLink(Supplier<RedisSession> connector, Duration timeout) {
    this.connector = connector;
    this.timeout = timeout;
  }

  /** The time limit of a command on this link. */
  public Duration timeout() {
    return timeout;
  }

  /** The breaker, which says whether a command is worth sending. */
  public Breaker breaker() {
    return breaker;
  }

  /** The open session; null if there is none, and then a background thread opens one. */
  public @Nullable RedisSession session() {
    RedisSession now = session;
    if (now != null && now.isOpen()) {
      return now;
    }
    connectInBackground();
    return null;
  }

  /** The name of the server that commands go to now, {@link RedisSession#ANY} for none. */
  public String server() {
    RedisSession now = session();
    return now == null ? RedisSession.ANY : now.server();
  }

  /** The software of that server; null for none, or for the servers of a cluster. */
  @Nullable ServerVersion version() {
    RedisSession now = session;
    return now != null && now.isOpen() ? now.version() : null;
  }

  /** This link while it leads to one server; it sends nothing to another. */
  public RedisLink only(String server) {
    OneServer last = onlyLast;
    if (last == null || !last.name.equals(server)) {
      last = new OneServer(server);
      onlyLast = last;
    }
    return last;
  }

  /** Sends a command; the future fails at once if there is no connection. */
  public <T> CompletableFuture<T> send(
      ProtocolKeyword command,
      CommandOutput<byte[], byte[], T> output,
      CommandArgs<byte[], byte[]> args) {
    return call(commands -> commands.dispatch(command, output, args));
  }

  /** Calls a command of the client; the future fails at once if there is no connection. */
  public <T> CompletableFuture<T> call(
      Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> call) {
    RedisSession now = session();
    return now == null ? disconnected() : watch(now, now.call(call));
  }

  /** The result of a command without a session. */
  public <T> CompletableFuture<T> disconnected() {
    String why = unconnected();
    return CompletableFuture.failedFuture(
        new RedisUnavailableException(why == null ? "Redis is not connected" : why, null));
  }

  /** What keeps this link from asking its server in time, as a sentence; null for nothing. */
  public @Nullable String problem() {
    String why = unconnected();
    return why == null && isSlow() ? SLOW.formatted(timeout.toMillis()) : why;
  }

  /** Why there is no session, as a sentence; null if there is one, or no attempt has failed. */
  public @Nullable String unconnected() {
    String why = failure;
    return why == null || session() != null ? null : UNCONNECTED.formatted(why);
  }

  /** Whether each answer comes later than this link's time limit. */
  public boolean isSlow() {
    return slow >= SLOW_LOOKS;
  }

  /** Closes a session when its server says that another server must be asked. */
  public <T> CompletableFuture<T> watch(RedisSession asked, CompletableFuture<T> answer) {
    answer.whenComplete(
        (value, failure) -> {
          if (failure instanceof RedisCommandExecutionException refusal && isElsewhere(refusal)) {
            giveUp(asked);
          }
        });
    return answer;
  }

  private static boolean isElsewhere(RedisCommandExecutionException refusal) {
    String message = String.valueOf(refusal.getMessage());
    return message.startsWith("MOVED ") || message.startsWith("READONLY ");
  }

  /** Waits for an answer as long as this link allows, and notes whether one came. */
  public <T> @Nullable T await(Future<T> answer) {
    return await(answer, timeout);
  }

  /** Waits for an answer for that time, and notes whether one came. */
  public <T> @Nullable T await(Future<T> answer, Duration atMost) {
    try {
      T value = Replies.await(answer, atMost);
      breaker.answered();
      return value;
    } catch (RedisUnavailableException e) {
      if (e.getCause() instanceof TimeoutException) {
        unanswered();
      }
      throw e;
    }
  }

  /** Notes that a command got no answer in its time; closes a connection that stays silent. */
  public void unanswered() {
    breaker.unanswered();
    RedisSession now = session;
    if (now != null && breaker.isOpen() && breaker.silence() > SILENCE_NANOS) {
      breaker.answered();
      giveUp(now);
    }
  }

  /** The answer of a command within that time, for a caller that does not wait. */
  public <T> CompletableFuture<T> inTime(CompletableFuture<T> answer, Duration atMost) {
    return Replies.inTime(answer, atMost)
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                breaker().answered();
              } else if (Failures.unwrapped(failure).getCause() instanceof TimeoutException) {
                unanswered();
              }
            });
  }

  /** Begins to connect, and waits for the result, at most for the given time. */
  public void tryToConnect(Duration atMost) {
    if (session() == null) {
      try {
        boolean ended = isAttemptOver(atMost.toNanos());
        log.debug("The first attempt to connect to Redis ended: {}", ended);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isAttemptOver(long withinNanos) throws InterruptedException {
    try {
      attempt.get(withinNanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("An attempt only ever completes", e);
    }
  }

  /** Waits until a connection is open, at most for the given time; true if one is. */
  public boolean awaitConnected(Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    while (session() == null) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        // Bounded by the retry interval: a failed attempt lets a later one begin.
        if (isAttemptOver(Math.min(left, RETRY_NANOS)) && session() == null) {
          TimeUnit.NANOSECONDS.sleep(Math.min(left, RETRY_NANOS / 4));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  /**
   * Asks the server whether it is still the same master, and ends the session if not: it may have
   * become another's replica and master again. Never throws.
   */
  public void verify() {
    RedisSession now = session();
    if (now == null) {
      return;
    }
    long begun = System.nanoTime();
    try {
      if (!now.isStillItself(RedisConnections.WRITE)) {
        giveUp(now);
      }
      long roundTrip = (System.nanoTime() - begun) / RedisSession.LOOKS;
      slow = roundTrip > timeout.toNanos() ? Math.min(slow + 1, SLOW_LOOKS) : 0;
    } catch (RedisUnavailableException e) {
      if (e.getCause() instanceof TimeoutException) {
        // A slow server is not another one: a build under way on this session continues.
        unanswered();
      } else {
        // The server is no longer a master, or gone: a new session finds out.
        giveUp(now);
      }
    }
  }

  /** Ends a session; the next caller starts another. */
  private void giveUp(RedisSession ended) {
    lock.lock();
    try {
      if (session == ended) {
        session = null;
      }
    } finally {
      lock.unlock();
    }
    ended.end();
    connectInBackground();
  }

  /**
   * Ends for good; the returned future completes when the connection is closed, and no attempt to
   * connect is under way.
   */
  public CompletableFuture<Void> close() {
    RedisSession last;
    CompletableFuture<@Nullable Void> under;
    lock.lock();
    try {
      closed = true;
      last = session;
      session = null;
      under = attempt;
    } finally {
      lock.unlock();
    }
    return CompletableFuture.allOf(under, last == null ? under : last.end());
  }

  public static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  private void connectInBackground() {
    if (closed || !attempt.isDone() || !lock.tryLock()) {
      return;
    }
    try {
      RedisSession now = session;
      boolean open = now != null && now.isOpen();
      long time = System.nanoTime();
      if (closed || open || !attempt.isDone() || time - nextAttempt < 0) {
        return;
      }
      attempt =
          CompletableFuture.supplyAsync(this::connect, RedisLink::begin)
              .thenCompose(late -> late)
              .handle((ended, failure) -> null);
    } finally {
      lock.unlock();
    }
  }

  /** Logs once why a reachable Redis cannot be used. */
  private void explain(RuntimeException failure) {
    if (failure instanceof RedisUnavailableException refusal
        && !(refusal.getCause() instanceof TimeoutException)
        && !explained) {
      explained = true;
      log.warn(
          "Redis answers but cannot be used, so every answer is UNKNOWN until it can: {}. It must"
              + " be a master, and the user needs the right to INFO",
          refusal.getMessage());
    }
  }

  private static void begin(Runnable task) {
    Thread thread = new Thread(task, "bloomguard-redis-connect");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the end of a connection that came too late. */
  private CompletableFuture<Void> connect() {
    RedisSession opened = null;
    String why = "";
    try {
      opened = connector.get();
    } catch (RuntimeException e) {
      // The next caller tries again.
      why = Replies.words(e);
      explain(e);
    }
    boolean kept;
    RedisSession replaced;
    lock.lock();
    try {
      failure = opened == null ? why : null;
      slow = 0;
      kept = !closed;
      replaced = session;
      explained &= opened == null;
      session = kept ? opened : null;
      nextAttempt = System.nanoTime() + (opened == null ? RETRY_NANOS : RETRY_NANOS / 10);
      breaker.answered();
    } finally {
      lock.unlock();
    }
    if (replaced != null) {
      // The session has ended; this releases the client's resources for it.
      replaced.end();
    }
    if (opened != null) {
      if (kept) {
        opened.onEnd(this::session);
      } else {
        return opened.end();
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  /** A link to one server only. */
  private final class OneServer extends RedisLink {

    private final String name;

    OneServer(String name) {
      super(RedisLink.this.connector, RedisLink.this.timeout);
      this.name = name;
    }

    @Override
    public @Nullable RedisSession session() {
      RedisSession now = RedisLink.this.session();
      return now != null && now.server().equals(name) ? now : null;
    }

    @Override
    public <T> CompletableFuture<T> watch(RedisSession asked, CompletableFuture<T> answer) {
      return RedisLink.this.watch(asked, answer);
    }

    @Override
    public void unanswered() {
      RedisLink.this.unanswered();
    }

    @Override
    public @Nullable String unconnected() {
      return RedisLink.this.unconnected();
    }

    @Override
    public Breaker breaker() {
      return RedisLink.this.breaker();
    }
  }
}
