package io.bloomguard.guard.internal.confirm;

import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.Bulkhead;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
  private final ConcurrentMap<String, Question> questions = new ConcurrentHashMap<>();

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

  /** One key under question. */
  private static final class Question extends CompletableFuture<Membership> {

    final String key;

    Question(String key) {
      this.key = key;
    }
  }

  /**
   * Asks for one key.
   *
   * @param key canonical and folded
   * @return POSSIBLY_PRESENT if it is listed, ABSENT if it is not, UNKNOWN without an answer; never
   *     fails
   */
  public CompletableFuture<Membership> ask(String key) {
    Question question = new Question(key);
    Question theirs = questions.putIfAbsent(key, question);
    if (theirs == null) {
      begin(List.of(question));
    }
    // A copy, so that no caller can end a question for which others wait.
    return (theirs == null ? question : theirs).copy();
  }

  /**
   * Asks for many keys. Those that are not under question yet are asked for in one place, one after
   * the other.
   *
   * @return the future answer for each key, all within the timeout
   */
  public Map<String, CompletableFuture<Membership>> askAll(Collection<String> keys) {
    Map<String, CompletableFuture<Membership>> answers = new LinkedHashMap<>();
    List<Question> mine = new ArrayList<>();
    for (String key : keys) {
      if (answers.containsKey(key)) {
        continue;
      }
      Question question = new Question(key);
      Question theirs = questions.putIfAbsent(key, question);
      if (theirs == null) {
        mine.add(question);
      }
      answers.put(key, (theirs == null ? question : theirs).copy());
    }
    if (!mine.isEmpty()) {
      begin(mine);
    }
    return answers;
  }

  private void begin(List<Question> mine) {
    long nanos = source.timeout().toNanos();
    Timeout deadline;
    try {
      deadline = threads.after(nanos, () -> late(mine));
    } catch (RequestShedException e) {
      refused(mine, e);
      return;
    }
    var unused =
        bulkhead
            .enterAsync(Place.current(), nanos)
            .whenComplete(
                (place, refusal) -> {
                  if (place == null) {
                    deadline.cancel();
                    refused(mine, refusal);
                  } else {
                    threads.execute(
                        () -> run(mine, place, deadline),
                        none -> {
                          deadline.cancel();
                          place.close();
                          refused(mine, none);
                        });
                  }
                });
  }

  private void refused(List<Question> mine, Throwable refusal) {
    warn(refusal.getMessage());
    end(mine);
  }

  private void run(List<Question> mine, Place place, Timeout deadline) {
    Map<String, Question> open = new LinkedHashMap<>();
    mine.forEach(question -> open.put(question.key, question));
    Question last = mine.get(mine.size() - 1);
    try (place;
        Scope scope = Place.enter(place)) {
      if (!last.isDone()) {
        timed(
            open.keySet(),
            (key, listed) -> {
              Question question = open.remove(key);
              if (question != null) {
                end(question, listed ? Membership.POSSIBLY_PRESENT : Membership.ABSENT);
              }
              return !last.isDone();
            });
      }
    } catch (ConfirmationFailedException e) {
      warn(e.getMessage());
    } catch (Throwable e) {
      // Its message may hold a key.
      warn(e.getClass().getName());
    } finally {
      deadline.cancel();
      end(mine);
    }
  }

  private void timed(Collection<String> keys, ExactSource.Answers answers) throws Exception {
    long begin = System.nanoTime();
    LoadListener load = listener.onLoad();
    LoadResult result = LoadResult.ERROR;
    AtomicBoolean found = new AtomicBoolean();
    try {
      source.ask(
          List.copyOf(keys),
          (key, listed) -> {
            found.compareAndSet(false, listed);
            return answers.accept(key, listed);
          });
      result = found.get() ? LoadResult.FOUND : LoadResult.ABSENT;
    } finally {
      load.onReturn();
      load.onEnd(result, System.nanoTime() - begin);
    }
  }

  /** Ends the callers' wait; the questions stay until the source has returned. */
  private void late(List<Question> asked) {
    boolean waited = false;
    for (Question question : asked) {
      waited |= question.complete(Membership.UNKNOWN);
    }
    if (waited) {
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

  private void end(List<Question> asked) {
    asked.forEach(question -> end(question, Membership.UNKNOWN));
  }

  /**
   * Ends a question before its answer is set: a caller that learns of the answer must not join it
   * again.
   */
  private void end(Question question, Membership answer) {
    questions.remove(question.key, question);
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
