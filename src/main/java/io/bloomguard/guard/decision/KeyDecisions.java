package io.bloomguard.guard.decision;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyRules;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.GuardedFilter;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.UnknownPolicy;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.load.Answer;
import io.bloomguard.guard.load.LoadRequest;
import io.bloomguard.guard.load.LoadSteps;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys of calls in the form that each step takes, the filter's answers, and their outcomes. */
final class KeyDecisions<V> {

  final GuardedFilter filter;
  final KeyRules rules;
  final LoadSteps steps;
  final EntryPoint entry;
  final AsyncCalls async;
  final ValueType<V> type;
  private final boolean numbersFit;

  KeyDecisions(
      GuardedFilter filter, KeyRules rules, LoadSteps steps, ValueType<V> type, EntryPoint entry) {
    this.filter = filter;
    this.rules = rules;
    this.numbersFit = rules.acceptsEveryNumber();
    this.steps = steps;
    this.type = type;
    this.entry = entry;
    this.async = new AsyncCalls(filter, steps, entry);
  }

  /**
   * The key of one call, in the form that each of its steps takes: the canonical text, which is
   * made here and nowhere else. A number stays a number, if every number keeps the rules: most
   * calls end at the filter, which needs no text of it.
   */
  Object canonical(Object key) {
    return staysNumber(key) ? key : canonicalText(key);
  }

  private boolean staysNumber(Object key) {
    return !(key instanceof String) && numbersFit && isIntegral(key);
  }

  /** The text of an asked key, for the steps after the filter. */
  static String text(Object asked) {
    return asked instanceof String text ? text : CanonicalKey.of(asked);
  }

  Membership decide(Object asked) {
    return recordDenied(check(asked), asked);
  }

  /** Decides on a key, for a caller whose thread must not wait. */
  <T extends @Nullable Object> CompletableFuture<T> decideAsync(
      Object asked,
      Function<Membership, ? extends CompletionStage<T>> next,
      Consumer<? super T> late) {
    return checkAsync(asked, membership -> next.apply(recordDenied(membership, asked)), late);
  }

  private Membership recordDenied(Membership membership, Object asked) {
    if (membership == Membership.ABSENT) {
      filter.deniedKeys().onDenied(asked);
    }
    return membership;
  }

  /**
   * Asks the filter for a key, for a caller whose thread must not wait.
   *
   * @param late gets a result that comes after the caller has cancelled the answer
   */
  <T extends @Nullable Object> CompletableFuture<T> checkAsync(
      Object asked,
      Function<Membership, ? extends CompletionStage<T>> next,
      Consumer<? super T> late) {
    return async.stays()
        ? next.apply(check(asked)).toCompletableFuture()
        : async.answered(List.of(text(asked)), answers -> next.apply(answers[0]), late);
  }

  /** The filter's answer for an asked key. */
  Membership check(Object asked) {
    return asked instanceof String text
        ? filter.store().check(text)
        : filter.store().check(((Number) asked).longValue());
  }

  Membership[] decideAll(List<String> canonical) {
    return recordAllDenied(filter.store().checkAll(canonical), canonical);
  }

  /** Decides on many keys, for a caller whose thread must not wait. */
  <T extends @Nullable Object> CompletableFuture<T> decideAllAsync(
      List<String> canonical,
      Function<Membership[], ? extends CompletionStage<T>> next,
      Consumer<? super T> late) {
    return checkAllAsync(
        canonical, answers -> next.apply(recordAllDenied(answers, canonical)), late);
  }

  /** Asks the filter for many canonical keys, for a caller whose thread must not wait. */
  <T extends @Nullable Object> CompletableFuture<T> checkAllAsync(
      List<String> canonical,
      Function<Membership[], ? extends CompletionStage<T>> next,
      Consumer<? super T> late) {
    return async.stays()
        ? next.apply(filter.store().checkAll(canonical)).toCompletableFuture()
        : async.answered(canonical, next, late);
  }

  private Membership[] recordAllDenied(Membership[] answers, List<String> canonical) {
    for (int i = 0; i < answers.length; i++) {
      recordDenied(answers[i], canonical.get(i));
    }
    return answers;
  }

  private static boolean isIntegral(Object key) {
    return key instanceof Long
        || key instanceof Integer
        || key instanceof Short
        || key instanceof Byte;
  }

  LoadRequest<V> request(String canonical, Membership membership) {
    return request(canonical, rules.fold(canonical), membership, steps.cacheOfCall());
  }

  LoadRequest<V> request(String canonical, String folded, Membership membership, ValueCache cache) {
    boolean decided = membership == Membership.POSSIBLY_PRESENT;
    boolean queues = queues(canonical, membership);
    boolean keeps = filter.store().keepsEntries(canonical);
    return new LoadRequest<>(
        folded,
        keeps ? type : type.unshared(),
        decided,
        queues,
        filter.listener(),
        keeps ? cache : NoEntries.CACHE);
  }

  /**
   * Whether a key may queue for the bulkhead: while the filter cannot decide, only a key that it
   * last knew. A key that it did not know is not rejected, but shed first.
   */
  boolean queues(String canonical, Membership membership) {
    return membership != Membership.UNKNOWN || filter.store().likelyPresent(canonical);
  }

  /** The canonical form of a key; an invalid one is counted. */
  String canonicalText(Object key) {
    try {
      return canonicalForWrite(key);
    } catch (InvalidKeyException e) {
      record(Outcome.ERROR);
      throw e;
    }
  }

  List<String> canonical(Collection<?> keys) {
    List<String> canonical = new ArrayList<>(keys.size());
    try {
      for (Object key : keys) {
        canonical.add(canonicalForWrite(key));
      }
    } catch (InvalidKeyException e) {
      record(Outcome.ERROR, keys.size());
      throw e;
    }
    return canonical;
  }

  List<String> canonicalForWrite(Collection<?> keys) {
    return keys.stream().map(this::canonicalForWrite).toList();
  }

  List<String> distinctForWrite(Collection<?> keys) {
    return distinct(canonicalForWrite(keys));
  }

  static List<String> distinct(List<String> keys) {
    return List.copyOf(new LinkedHashSet<>(keys));
  }

  String canonicalForWrite(Object key) {
    String canonical = CanonicalKey.of(key);
    rules.require(canonical);
    return canonical;
  }

  void requireOpen(Membership membership, int keys) {
    if (membership == Membership.UNKNOWN) {
      requireOpen(keys);
    }
  }

  /** Refuses a call whose keys the filter cannot decide, if that is its policy. */
  void requireOpen(int keys) {
    if (filter.onUnknown() == UnknownPolicy.CLOSED && filter.verification().enforces()) {
      record(Outcome.SHED, keys);
      throw RequestShedException.undecided(filter.name());
    }
  }

  /** Waits for a place in the bulkhead, on the calling thread. */
  Place place(boolean queues, int keys) {
    try {
      return steps.bulkhead().enter(steps.queueing(queues, System.nanoTime()));
    } catch (RequestShedException e) {
      record(Outcome.SHED, keys);
      throw e;
    }
  }

  static Outcome outcome(LoadRequest<?> request, Answer<?> answer) {
    return request.decided() ? answer.outcome() : Outcome.BYPASSED;
  }

  static Outcome outcome(Membership membership, Answer<?> answer) {
    return membership == Membership.UNKNOWN ? Outcome.BYPASSED : answer.outcome();
  }

  /** Counts a key of which the filter's answer decides alone. */
  void record(Membership decision) {
    record(
        switch (decision) {
          case ABSENT -> Outcome.REJECTED;
          case POSSIBLY_PRESENT -> Outcome.PASSED;
          case UNKNOWN -> Outcome.BYPASSED;
        });
  }

  void record(Outcome outcome) {
    filter.counters().record(entry, outcome);
  }

  void record(Outcome outcome, int keys) {
    filter.counters().record(entry, outcome, keys);
  }

  static Outcome ending(
      Membership membership, @Nullable Answer<?> answer, @Nullable Throwable failure) {
    if (answer != null) {
      return outcome(membership, answer);
    }
    return ending(failure);
  }

  static Outcome ending(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return thrown(cause);
  }

  /** The outcome of a call that ends with a throwable on the caller's thread. */
  static Outcome thrown(@Nullable Throwable failure) {
    return failure instanceof RequestShedException ? Outcome.SHED : Outcome.ERROR;
  }
}
