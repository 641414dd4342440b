package io.bloomguard.guard.internal.decision;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.FilterAnswers;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.LoadRequest;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.load.Place;
import io.bloomguard.guard.internal.verify.Verdict;
import io.bloomguard.guard.internal.writes.FilterWrites;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The keys of calls in the form that each step takes, the filter's answers, and their outcomes. */
final class KeyDecisions<V> {

  final GuardedFilter filter;
  final FilterAnswers answers;
  final KeyRules rules;
  final CacheLoads steps;
  final EntryPoint entry;
  final AsyncCalls async;
  final ValueType<V> type;
  private final ValueType<V> unshared;
  private final BooleanSupplier keepsValues;
  private final boolean numbersFit;

  /** Makes keys canonical that are complete, or have the scope of their row. */
  private final Function<Object, String> complete;

  /** Reads the scope of the keys of a call; null for keys that are complete. */
  private final @Nullable Supplier<@Nullable Object> scope;

  /**
   * @param keepsValues whether values of the type are kept, if the type has them shared
   * @param scope that of the keys; null for keys that are complete
   */
  KeyDecisions(
      GuardedFilter filter,
      KeyRules rules,
      CacheLoads steps,
      ValueType<V> type,
      BooleanSupplier keepsValues,
      EntryPoint entry,
      @Nullable Supplier<@Nullable Object> scope) {
    this.complete =
        filter.store() == Unguarded.Nothing.STORED ? String::valueOf : FilterWrites.by(rules);
    this.unshared = type.unshared();
    this.keepsValues = keepsValues;
    this.filter = filter;
    this.answers = filter.answers();
    this.rules = rules;
    this.scope = scope;
    this.numbersFit = scope == null && rules.acceptsEveryNumber();
    this.steps = steps;
    this.type = type;
    this.entry = entry;
    this.async = new AsyncCalls(filter, steps, this);
  }

  static @Nullable Supplier<@Nullable Object> scope(
      GuardedFilter filter, EntryPoint entry, @Nullable Object context) {
    KeyScope scope = entry == EntryPoint.METHOD ? filter.scope() : null;
    return scope == null ? null : () -> scope.read(context);
  }

  /** The same for one call, whose scope is read here; itself for keys that are complete. */
  KeyDecisions<V> ofCall(@Nullable Object context) {
    Supplier<@Nullable Object> read = scope(filter, entry, context);
    if (read == null) {
      return this;
    }
    Object own = read.get();
    return new KeyDecisions<>(filter, rules, steps, type, keepsValues, entry, () -> own);
  }

  /** Whether the call has no scope, so that nothing is asked of its keys, and nothing is kept. */
  boolean lacksScope() {
    return scope != null && scope.get() == null;
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

  /**
   * The form of an asked key in trials, which is one for all spellings of a key. A number has only
   * one spelling.
   */
  static Object judged(GuardedFilter filter, Object asked) {
    return asked instanceof String text ? filter.folding().fold(text) : asked;
  }

  /** The filter's answers for asked keys, of which several are texts. */
  Membership[] answers(List<?> asked, Duration atLeast) {
    return asked.size() == 1 && atLeast.isZero()
        ? new Membership[] {answers.check(asked.get(0))}
        : answers.checkAll(texts(asked), atLeast);
  }

  static List<String> texts(List<?> asked) {
    return asked.stream().map(KeyDecisions::text).toList();
  }

  private static boolean isIntegral(Object key) {
    return key instanceof Long
        || key instanceof Integer
        || key instanceof Short
        || key instanceof Byte;
  }

  LoadRequest<V> request(Object asked, Verdict verdict) {
    String canonical = text(asked);
    return request(canonical, rules.fold(canonical), verdict, steps.cacheOfCall());
  }

  LoadRequest<V> request(String canonical, String folded, Verdict verdict, ValueCache cache) {
    boolean keeps = verdict != Verdict.PENDING && answers.keepsEntries(canonical);
    boolean values = keeps && keepsValues.getAsBoolean();
    return new LoadRequest<>(
        folded,
        values ? type : unshared,
        queues(canonical, verdict),
        keeps && !values && type.shared(),
        filter.listener(),
        keeps ? cache : NoEntries.CACHE,
        verdict == Verdict.PASS && filter.rejection().reject() == Reject.ABSENT ? filter : null);
  }

  /**
   * Whether a key may queue for the bulkhead: while the filter cannot decide, only a key that it
   * last knew. A key that it did not know is not rejected, but shed first.
   */
  private boolean queues(Object asked, Verdict verdict) {
    return verdict != Verdict.DOUBT || filter.store().likelyPresent(text(asked));
  }

  /** Whether the load of a key takes a place in the bulkhead, also if the guard keeps no values. */
  private boolean needsPlace(Verdict verdict) {
    return verdict.isExtra() && filter.rejection().reject() == Reject.ABSENT;
  }

  /** The canonical form of a key; an invalid one is counted. */
  private String canonicalText(Object key) {
    try {
      return scoped().apply(key);
    } catch (InvalidKeyException e) {
      record(Outcome.ERROR);
      throw e;
    }
  }

  List<String> canonical(Collection<?> keys) {
    List<String> canonical = new ArrayList<>(keys.size());
    try {
      Function<Object, String> scoped = scoped();
      for (Object key : keys) {
        canonical.add(scoped.apply(key));
      }
    } catch (InvalidKeyException e) {
      record(Outcome.ERROR, keys.size());
      throw e;
    }
    return canonical;
  }

  /** Makes keys of one call canonical, in its scope. */
  private Function<Object, String> scoped() {
    Object own = scope == null ? null : scope.get();
    if (own == null) {
      return complete;
    }
    String first = CanonicalKey.of(own);
    return key ->
        complete.apply(key instanceof KeyScope.Scoped ? key : new KeyScope.Scoped(first, key));
  }

  /** The canonical keys of a call, once each. */
  List<String> distinct(Collection<?> keys) {
    return List.copyOf(
        keys.stream().map(scoped()).collect(Collectors.toCollection(LinkedHashSet::new)));
  }

  /** The place that the keys of one call need; null for none. */
  @Nullable CompletableFuture<Place> place(
      List<?> asked, Verdict[] verdicts, boolean loads, boolean waits) {
    Long nanos = queueing(asked, verdicts, loads);
    if (nanos == null) {
      return null;
    }
    // Only this thread finds its pending writes, so it waits here.
    boolean stays = Arrays.asList(verdicts).contains(Verdict.PENDING) && !lacksScope();
    return stays && !waits
        ? LoadStages.made(() -> steps.bulkhead().enter(nanos))
        : steps.bulkhead().enter(Place.current(), nanos, waits);
  }

  /**
   * How long the keys of one call queue for their place; null if they need none.
   *
   * @param loads whether the caller loads the keys: otherwise one that counts as rejected passes as
   *     it came
   */
  private @Nullable Long queueing(List<?> asked, Verdict[] verdicts, boolean loads) {
    boolean needed = false;
    boolean queues = true;
    for (int i = 0; i < verdicts.length; i++) {
      needed |= needsPlace(verdicts[i]) && (loads || !verdicts[i].isRejected());
      queues &= queues(asked.get(i), verdicts[i]);
    }
    return needed ? steps.queueing(queues, System.nanoTime()) : null;
  }

  /**
   * The keys of one call by their folded text: spellings of a key, such as 42 and "42", are one
   * key, which is judged, counted and loaded once.
   */
  <K> Map<String, List<K>> spellings(Collection<K> keys) {
    // A copy, because its owner may change the collection meanwhile.
    List<K> asked = new ArrayList<>(keys);
    Iterator<String> canonical = canonical(asked).iterator();
    Map<String, List<K>> spellings = new LinkedHashMap<>();
    for (K key : asked) {
      List<K> same =
          spellings.computeIfAbsent(rules.fold(canonical.next()), any -> new ArrayList<>(1));
      if (!same.contains(key)) {
        same.add(key);
      }
    }
    return spellings;
  }

  /** The values that a batch load found for keys, in any of their forms. */
  <K> Map<K, V> found(Collection<K> asked, @Nullable Map<K, V> loaded) {
    return FoundValues.of(asked, loaded, rules::fold);
  }

  void record(Outcome outcome) {
    filter.counters().record(entry, outcome);
  }

  void record(Outcome outcome, int keys) {
    filter.counters().record(entry, outcome, keys);
  }

  static Outcome ending(@Nullable Throwable failure) {
    return failure != null && Failures.unwrapped(failure) instanceof RequestShedException
        ? Outcome.SHED
        : Outcome.ERROR;
  }
}
