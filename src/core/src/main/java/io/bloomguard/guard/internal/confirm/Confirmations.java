package io.bloomguard.guard.internal.confirm;

import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.load.Bulkhead;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.load.Place;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The questions of one filter to its {@link ExactSource}, at most one for each key at a time.
 *
 * <p>A question runs on a thread of the guard, in a place of the bulkhead. Its callers wait until
 * the source's timeout, the wait for the place included; no answer by then, or a failure, is {@link
 * Membership#UNKNOWN}. The question gives the place back when the source has really returned. From
 * the timeout until then further callers of the key get UNKNOWN at once: a source that hangs gets
 * no second question for a key meanwhile.
 *
 * <p>A write of the key in this process detaches the key's question, whose answer may be older than
 * the write.
 */
public final class Confirmations {

  private static final Logger log = LoggerFactory.getLogger(Confirmations.class);

  private static final long WARN_INTERVAL = TimeUnit.SECONDS.toNanos(10);

  private final String filter;
  private final ExactSource source;
  private final Bulkhead bulkhead;
  private final LoadThreads threads;
  private final GuardListener listener;
  private final AtomicLong warned = new AtomicLong(System.nanoTime() - WARN_INTERVAL);
  private final ConcurrentMap<String, CompletableFuture<Membership>> questions =
      new ConcurrentHashMap<>();

  /**
   * No question is open.
   *
   * @param filter the filter's name, for the log
   * @param listener gets each query as a load
   */
  public Confirmations(
      String filter,
      ExactSource source,
      Bulkhead bulkhead,
      LoadThreads threads,
      GuardListener listener) {
    this.filter = filter;
    this.source = source;
    this.bulkhead = bulkhead;
    this.threads = threads;
    this.listener = listener;
  }

  /**
   * Asks for keys. Those that are not under question yet are asked for in one place, one after the
   * other.
   *
   * @param keys canonical and folded
   * @return the future answer for each key, all within the timeout: POSSIBLY_PRESENT if it is
   *     listed, ABSENT if it is not, UNKNOWN without an answer; never fails
   */
  public Map<String, CompletableFuture<Membership>> askAll(Collection<String> keys) {
    Map<String, CompletableFuture<Membership>> answers = new LinkedHashMap<>();
    Map<String, CompletableFuture<Membership>> mine = new LinkedHashMap<>();
    for (String key : new LinkedHashSet<>(keys)) {
      CompletableFuture<Membership> question = new CompletableFuture<>();
      CompletableFuture<Membership> theirs = questions.putIfAbsent(key, question);
      if (theirs == null) {
        mine.put(key, question);
      }
      // A copy, so that no caller can end a question for which others wait.
      answers.put(key, (theirs == null ? question : theirs).copy());
    }
    if (!mine.isEmpty()) {
      begin(mine);
    }
    return answers;
  }

  private void begin(Map<String, CompletableFuture<Membership>> mine) {
    long nanos = source.timeout().toNanos();
    try {
      Future<?> deadline = threads.after(nanos, () -> late(mine.values()));
      var unused =
          CompletableFuture.allOf(mine.values().toArray(CompletableFuture[]::new))
              .thenRun(() -> deadline.cancel(false));
      CompletableFuture<Place> entering = bulkhead.enter(Place.current(), nanos, false);
      entering.whenComplete(
          (place, refusal) -> {
            if (place == null) {
              end(mine, refusal.getMessage());
            } else {
              threads.execute(
                  () -> run(mine, place),
                  none -> {
                    place.close();
                    end(mine, none.getMessage());
                  });
            }
          });
    } catch (RequestShedException e) {
      end(mine, e.getMessage());
    }
  }

  private void run(Map<String, CompletableFuture<Membership>> mine, Place place) {
    String reason = null;
    try (place;
        Scope scope = place.enter()) {
      ask(mine);
    } catch (ConfirmationFailedException e) {
      reason = e.getMessage();
    } catch (Throwable e) {
      // Its message may hold a key.
      reason = e.getClass().getName();
    }
    end(mine, reason);
  }

  private void ask(Map<String, CompletableFuture<Membership>> mine) throws Exception {
    List<String> keys = List.copyOf(mine.keySet());
    CompletableFuture<Membership> last = mine.get(keys.get(keys.size() - 1));
    if (last == null || last.isDone()) {
      return;
    }
    long begin = System.nanoTime();
    LoadListener load = listener.onLoad();
    LoadResult result = LoadResult.ERROR;
    AtomicBoolean found = new AtomicBoolean();
    try {
      source.ask(
          keys,
          (key, listed) -> {
            found.compareAndSet(false, listed);
            CompletableFuture<Membership> question = mine.get(key);
            if (question != null) {
              end(key, question, listed ? Membership.POSSIBLY_PRESENT : Membership.ABSENT);
            }
            return !last.isDone();
          });
      result = found.get() ? LoadResult.FOUND : LoadResult.ABSENT;
    } finally {
      load.onReturn();
      load.onEnd(result, System.nanoTime() - begin);
    }
  }

  /** Ends the callers' wait; the questions stay until the source has returned. */
  private void late(Collection<CompletableFuture<Membership>> asked) {
    if (asked.stream().filter(question -> question.complete(Membership.UNKNOWN)).count() > 0) {
      warn("no answer within " + source.timeout());
    }
  }

  /** Warns at most once in ten seconds: a database that is down fails every request. */
  private void warn(@Nullable String reason) {
    long now = System.nanoTime();
    long last = warned.get();
    if (now - last >= WARN_INTERVAL && warned.compareAndSet(last, now)) {
      log.warn(
          "Keys that filter '{}' holds could not be confirmed and are UNKNOWN: {}", filter, reason);
    }
  }

  /**
   * Ends questions without an answer.
   *
   * @param reason null if the source has answered what it was asked
   */
  private void end(Map<String, CompletableFuture<Membership>> asked, @Nullable String reason) {
    if (reason != null) {
      warn(reason);
    }
    asked.forEach((key, question) -> end(key, question, Membership.UNKNOWN));
  }

  /**
   * Ends a question before its answer is set: a caller that learns of the answer must not join it
   * again.
   */
  private void end(String key, CompletableFuture<Membership> question, Membership answer) {
    questions.remove(key, question);
    question.complete(answer);
  }

  /** Detaches the questions of keys that are being written: later callers ask again. */
  public void forget(Collection<String> keys) {
    if (!questions.isEmpty()) {
      keys.forEach(questions::remove);
    }
  }

  /** The time that callers wait for an answer. */
  public Duration timeout() {
    return source.timeout();
  }

  /** The number of keys under question. */
  int open() {
    return questions.size();
  }
}
