package io.bloomguard.guard.decision;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyRules;
import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.GuardedFilter;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.UnknownPolicy;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.load.Answer;
import io.bloomguard.guard.load.AsyncLoads;
import io.bloomguard.guard.load.BatchLoads;
import io.bloomguard.guard.load.KeyedLoads;
import io.bloomguard.guard.load.LoadRequest;
import io.bloomguard.guard.load.LoadSteps;
import io.bloomguard.guard.writes.FilterWrites;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The guard of one filter, one cache and one entry: decides, delegates, counts one outcome. */
final class FilterGuard<V> implements BloomGuard<V> {

  private final GuardedFilter filter;
  private final FilterWrites writes;
  private final KeyRules rules;
  private final boolean numbersFit;
  private final LoadSteps steps;
  private final KeyedLoads loads;
  private final AsyncLoads asyncLoads;
  private final BatchLoads batchLoads;
  private final RejectedKeys<V> rejected;
  private final ValueType<V> type;
  private final EntryPoint entry;
  private final String caller;

  FilterGuard(
      GuardedFilter filter,
      FilterWrites writes,
      KeyRules rules,
      LoadSteps steps,
      ValueType<V> type,
      EntryPoint entry,
      String caller) {
    this.filter = filter;
    this.writes = writes;
    this.rules = rules;
    this.numbersFit = rules.acceptsEveryNumber();
    this.steps = steps;
    this.loads = new KeyedLoads(steps);
    this.asyncLoads = new AsyncLoads(steps);
    this.batchLoads = new BatchLoads(steps, loads::get);
    this.rejected = new RejectedKeys<>(filter, steps, loads, asyncLoads, type, entry, caller);
    this.type = type;
    this.entry = entry;
    this.caller = caller;
  }

  @Override
  public String filter() {
    return filter.name();
  }

  @Override
  public Membership check(Object key) {
    Object asked = asked(key);
    Membership membership = decide(asked);
    record(decision(membership));
    return answer(asked, membership);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    List<String> canonical = canonical(keys);
    Membership[] answers = decideAll(canonical);
    for (int i = 0; i < answers.length; i++) {
      record(decision(answers[i]));
      answers[i] = answer(canonical.get(i), answers[i]);
    }
    return List.of(answers);
  }

  /** The answer to a check: a filter that does not enforce allows no conclusion. */
  private Membership answer(Object asked, Membership membership) {
    return membership == Membership.ABSENT && !rejected.rejects(asked)
        ? Membership.UNKNOWN
        : membership;
  }

  @Override
  public boolean admit(Object key) {
    Object asked = asked(key);
    Membership membership = decide(asked);
    requireOpen(membership, 1);
    record(decision(membership));
    return membership != Membership.ABSENT || !rejected.rejects(asked);
  }

  @Override
  public boolean admit(
      Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace) {
    Object asked = asked(key);
    Membership membership = decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.admit(asked, onTrial);
    }
    requireOpen(membership, 1);
    if (membership == Membership.UNKNOWN) {
      onPlace.accept(place(queues(text(asked), membership), 1));
    }
    record(decision(membership));
    return true;
  }

  /** Waits for a place on the calling thread. */
  private Place place(boolean queues, int keys) {
    try {
      return steps.bulkhead().enter(steps.queueing(queues, System.nanoTime()));
    } catch (RequestShedException e) {
      filter.counters().record(entry, Outcome.SHED, keys);
      throw e;
    }
  }

  @Override
  public int reportFound(Collection<?> keys) {
    return filter.verification().report(distinct(canonicalForWrite(keys)), entry, caller);
  }

  @Override
  public <K> Admission<K> enter(Collection<K> keys) {
    Decided<K> decided = judged(keys);
    return admitted(
        decided, decided.doubtful() ? place(decided.queues(), decided.answers().length) : null);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterLater(Collection<K> keys) {
    Decided<K> decided = judged(keys);
    if (!decided.doubtful()) {
      return CompletableFuture.completedFuture(admitted(decided, null));
    }
    long nanos = steps.queueing(decided.queues(), System.nanoTime());
    return BulkheadAdmission.later(
        steps.bulkhead().enterLater(Place.current(), nanos),
        place -> admitted(decided, place),
        failure -> record(ending(failure), decided.answers().length));
  }

  private <K> Decided<K> judged(Collection<K> keys) {
    // A copy, because its owner may change the collection meanwhile.
    List<K> asked = new ArrayList<>(keys);
    List<String> canonical = canonical(asked);
    Membership[] answers = decideAll(canonical);
    boolean[] passes = new boolean[answers.length];
    boolean doubtful = false;
    for (int i = 0; i < answers.length; i++) {
      requireOpen(answers[i], answers.length);
      passes[i] = answers[i] != Membership.ABSENT || !rejected.rejects(canonical.get(i));
      doubtful |= passes[i] && answers[i] != Membership.POSSIBLY_PRESENT;
    }
    boolean queue = true;
    for (int i = 0; i < answers.length; i++) {
      queue &= queues(canonical.get(i), answers[i]);
    }
    return new Decided<>(asked, answers, passes, doubtful, queue);
  }

  /**
   * The filter's answers for the keys of one call.
   *
   * @param doubtful whether the call needs a place in the bulkhead
   * @param queues whether it may wait for one
   */
  private record Decided<K>(
      List<K> keys, Membership[] answers, boolean[] passes, boolean doubtful, boolean queues) {}

  private <K> Admission<K> admitted(Decided<K> decided, @Nullable Place place) {
    List<K> admitted = new ArrayList<>(decided.answers().length);
    int i = 0;
    for (K key : decided.keys()) {
      record(decision(decided.answers()[i]));
      if (decided.passes()[i++]) {
        admitted.add(key);
      }
    }
    return new BulkheadAdmission<>(admitted, place);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterLater(K key, Consumer<? super Trial> onTrial) {
    Object asked = asked(key);
    Membership membership = decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.enterLater(key, asked, onTrial);
    }
    requireOpen(membership, 1);
    if (membership != Membership.UNKNOWN) {
      record(decision(membership));
      return CompletableFuture.completedFuture(new BulkheadAdmission<>(List.of(key), null));
    }
    long nanos = steps.queueing(queues(text(asked), membership), System.nanoTime());
    return BulkheadAdmission.later(
        steps.bulkhead().enterLater(Place.current(), nanos),
        place -> {
          record(decision(membership));
          return new BulkheadAdmission<>(List.of(key), place);
        },
        failure -> record(ending(failure)));
  }

  @Override
  public <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X {
    Object asked = asked(key);
    Membership membership = decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.call(asked, loader);
    }
    return called(asked, membership, loader);
  }

  private <X extends Throwable> @Nullable V called(
      Object asked, Membership membership, ValueLoader<V, X> loader) throws X {
    requireOpen(membership, 1);
    Outcome outcome = Outcome.ERROR;
    try {
      V value = membership == Membership.UNKNOWN ? throughBulkhead(asked, loader) : loader.load();
      outcome = decision(membership);
      return value;
    } catch (RequestShedException e) {
      outcome = Outcome.SHED;
      throw e;
    } finally {
      record(outcome);
    }
  }

  private <X extends Throwable> @Nullable V throughBulkhead(Object asked, ValueLoader<V, X> loader)
      throws X {
    boolean queues = queues(text(asked), Membership.UNKNOWN);
    return steps.inPlace(steps.queueing(queues, System.nanoTime()), loader);
  }

  @Override
  public <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X {
    Object asked = asked(key);
    Membership membership = decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.get(asked, loader);
    }
    return got(asked, membership, loader);
  }

  private <X extends Throwable> @Nullable V got(
      Object asked, Membership membership, ValueLoader<V, X> loader) throws X {
    requireOpen(membership, 1);
    Outcome outcome = Outcome.ERROR;
    try {
      Answer<V> answer = loads.get(request(text(asked), membership), loader);
      outcome = outcome(membership, answer);
      return answer.value();
    } catch (RequestShedException e) {
      outcome = Outcome.SHED;
      throw e;
    } finally {
      record(outcome);
    }
  }

  @Override
  public <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    // Spellings of a key, such as 42 and "42", are one key: decided, counted and loaded once.
    Map<String, List<K>> spellings = new LinkedHashMap<>();
    List<K> asked = new ArrayList<>(keys);
    Iterator<String> canonical = canonical(asked).iterator();
    for (K key : asked) {
      List<K> same =
          spellings.computeIfAbsent(rules.fold(canonical.next()), k -> new ArrayList<>(1));
      if (!same.contains(key)) {
        same.add(key);
      }
    }
    List<String> distinct = List.copyOf(spellings.keySet());
    Membership[] answers = decideAll(distinct);
    for (Membership answer : answers) {
      requireOpen(answer, answers.length);
    }
    BatchLoader<K, V, X> spelling = inSpellingOfCaller(loader, spellings);
    ValueCache cache = steps.cacheOfCall();
    Map<LoadRequest<V>, K> requests = new LinkedHashMap<>();
    Set<LoadRequest<V>> wouldBeRejected = new HashSet<>();
    Set<LoadRequest<V>> open = new LinkedHashSet<>();
    Map<K, V> found = new LinkedHashMap<>();
    Outcome ending = Outcome.ERROR;
    try (TrialBatch<V> trials = rejected.batch()) {
      for (int i = 0; i < answers.length; i++) {
        String key = distinct.get(i);
        if (answers[i] != Membership.ABSENT || trials.passes(key)) {
          LoadRequest<V> request = request(key, key, answers[i], cache);
          requests.put(request, spellings.getOrDefault(key, List.of()).get(0));
          if (answers[i] == Membership.ABSENT) {
            wouldBeRejected.add(request);
          }
        }
      }
      open.addAll(requests.keySet());
      trials.load(
          spelling,
          key -> spellings.getOrDefault(key, List.of()).get(0),
          (key, value) -> spellings.getOrDefault(key, List.of()).forEach(k -> found.put(k, value)));
      batchLoads.get(
          requests,
          spelling,
          (request, answer) -> {
            open.remove(request);
            record(wouldBeRejected.contains(request) ? Outcome.REJECTED : outcome(request, answer));
            V value = answer.value();
            if (value != null) {
              spellings.getOrDefault(request.key(), List.of()).forEach(k -> found.put(k, value));
            }
          });
    } catch (RequestShedException e) {
      ending = Outcome.SHED;
      throw e;
    } finally {
      filter.counters().record(entry, ending, open.size());
    }
    return found;
  }

  /** A database answers in its own spelling, which may differ from that of the key asked for. */
  private <K, X extends Throwable> BatchLoader<K, V, X> inSpellingOfCaller(
      BatchLoader<K, V, X> loader, Map<String, List<K>> spellings) {
    if (rules.folding().isExact()) {
      return loader;
    }
    return keys -> {
      Map<K, V> loaded = loader.load(keys);
      if (loaded == null || loaded.keySet().containsAll(keys)) {
        return loaded;
      }
      Map<String, V> folded = new HashMap<>();
      loaded.forEach((key, value) -> folded.put(rules.fold(CanonicalKey.of(key)), value));
      Map<K, V> spelled = new HashMap<>(loaded);
      spellings.forEach(
          (key, same) -> {
            V value = folded.get(key);
            if (value != null) {
              same.stream().filter(keys::contains).forEach(k -> spelled.putIfAbsent(k, value));
            }
          });
      return spelled;
    };
  }

  @Override
  public CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    Object asked = asked(key);
    Membership membership = decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.getAsync(asked, loader);
    }
    requireOpen(membership, 1);
    return asyncLoads
        .get(request(text(asked), membership), loader)
        .whenComplete((answer, failure) -> record(ending(membership, answer, failure)))
        .<@Nullable V>thenApply(Answer::value);
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
    return cause instanceof RequestShedException ? Outcome.SHED : Outcome.ERROR;
  }

  @Override
  public boolean put(Object key) {
    return putAll(List.of(key)) > 0;
  }

  @Override
  public int putAll(Collection<?> keys) {
    int added = 0;
    for (boolean isNew : writes.put(distinct(canonicalForWrite(keys)))) {
      if (isNew) {
        added++;
      }
    }
    return added;
  }

  @Override
  public List<Boolean> putEach(Collection<?> keys) {
    List<String> canonical = canonicalForWrite(keys);
    List<String> distinct = distinct(canonical);
    boolean[] isNew = writes.put(distinct);
    Set<String> news = new HashSet<>();
    for (int i = 0; i < isNew.length; i++) {
      if (isNew[i]) {
        news.add(distinct.get(i));
      }
    }
    // The first of equal keys takes the answer.
    return canonical.stream().map(news::remove).toList();
  }

  @Override
  public Write beginWrite(Object key) {
    return writes.begin(List.of(canonicalForWrite(key)), List.of());
  }

  @Override
  public Write beginWrites(Collection<?> added, Collection<?> changed) {
    return writes.begin(distinct(canonicalForWrite(added)), distinct(canonicalForWrite(changed)));
  }

  @Override
  public void evictAll(Collection<?> keys, Removal removal) {
    writes.evict(distinct(canonicalForWrite(keys)), removal);
  }

  @Override
  public Removal beginRemoval() {
    Removal removal = writes.beginRemoval();
    return keys -> removal.gone(canonicalForWrite(keys));
  }

  @Override
  public int removeAll(Collection<?> keys) {
    return writes.removeAll(canonicalForWrite(keys));
  }

  /**
   * The key of one call, in the form that each of its steps takes: the canonical text, which is
   * made here and nowhere else. A number stays a number, if every number keeps the rules: most
   * calls end at the filter, which needs no text of it.
   */
  Object asked(Object key) {
    return !(key instanceof String) && numbersFit && isIntegral(key) ? key : canonical(key);
  }

  /** The text of an asked key, for the steps after the filter. */
  static String text(Object asked) {
    return asked instanceof String text ? text : CanonicalKey.of(asked);
  }

  private Membership decide(Object asked) {
    Membership membership = said(asked);
    if (membership == Membership.ABSENT) {
      filter.deniedKeys().onDenied(asked);
    }
    return membership;
  }

  /** The filter's answer for an asked key. */
  Membership said(Object asked) {
    return asked instanceof String text
        ? filter.store().check(text)
        : filter.store().check(((Number) asked).longValue());
  }

  private Membership[] decideAll(List<String> canonical) {
    Membership[] answers = filter.store().checkAll(canonical);
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == Membership.ABSENT) {
        filter.deniedKeys().onDenied(canonical.get(i));
      }
    }
    return answers;
  }

  private static boolean isIntegral(Object key) {
    return key instanceof Long
        || key instanceof Integer
        || key instanceof Short
        || key instanceof Byte;
  }

  private LoadRequest<V> request(String canonical, Membership membership) {
    return request(canonical, rules.fold(canonical), membership, steps.cacheOfCall());
  }

  private LoadRequest<V> request(
      String canonical, String folded, Membership membership, ValueCache cache) {
    boolean decided = membership == Membership.POSSIBLY_PRESENT;
    boolean queues = queues(canonical, membership);
    return new LoadRequest<>(folded, type, decided, queues, filter.listener(), cache);
  }

  /**
   * Whether a key may queue for the bulkhead: while the filter cannot decide, only a key that it
   * last knew. A key that it did not know is not rejected, but shed first.
   */
  private boolean queues(String canonical, Membership membership) {
    return membership != Membership.UNKNOWN || filter.store().likelyPresent(canonical);
  }

  /** The canonical form of a key; an invalid one is counted. */
  String canonical(Object key) {
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
      filter.counters().record(entry, Outcome.ERROR, keys.size());
      throw e;
    }
    return canonical;
  }

  private List<String> canonicalForWrite(Collection<?> keys) {
    return keys.stream().map(this::canonicalForWrite).toList();
  }

  private static List<String> distinct(List<String> keys) {
    return List.copyOf(new LinkedHashSet<>(keys));
  }

  private String canonicalForWrite(Object key) {
    String canonical = CanonicalKey.of(key);
    rules.require(canonical);
    return canonical;
  }

  private void requireOpen(Membership membership, int keys) {
    if (membership == Membership.UNKNOWN
        && filter.onUnknown() == UnknownPolicy.CLOSED
        && filter.verification().enforces()) {
      filter.counters().record(entry, Outcome.SHED, keys);
      throw RequestShedException.undecided(filter.name());
    }
  }

  private static Outcome decision(Membership membership) {
    return switch (membership) {
      case ABSENT -> Outcome.REJECTED;
      case POSSIBLY_PRESENT -> Outcome.PASSED;
      case UNKNOWN -> Outcome.BYPASSED;
    };
  }

  private static Outcome outcome(LoadRequest<?> request, Answer<?> answer) {
    return request.decided() ? answer.outcome() : Outcome.BYPASSED;
  }

  private static Outcome outcome(Membership membership, Answer<?> answer) {
    return membership == Membership.UNKNOWN ? Outcome.BYPASSED : answer.outcome();
  }

  private void record(Outcome outcome) {
    filter.counters().record(entry, outcome);
  }

  private void record(Outcome outcome, int keys) {
    filter.counters().record(entry, outcome, keys);
  }
}
