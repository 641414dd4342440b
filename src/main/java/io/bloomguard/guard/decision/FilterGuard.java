package io.bloomguard.guard.decision;

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
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.load.Answer;
import io.bloomguard.guard.load.AsyncLoads;
import io.bloomguard.guard.load.BatchLoads;
import io.bloomguard.guard.load.KeyedLoads;
import io.bloomguard.guard.load.LoadSteps;
import io.bloomguard.guard.writes.FilterWrites;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The guard of one filter, one cache and one entry: decides, delegates, counts one outcome. */
final class FilterGuard<V> extends KeyDecisions<V> implements BloomGuard<V> {

  private static final Consumer<@Nullable Object> NOTHING_LATE = late -> {};

  private final FilterWrites writes;
  private final KeyedLoads loads;
  private final AsyncLoads asyncLoads;
  private final BatchCalls<V> batchCalls;
  private final RejectedKeys<V> rejected;
  private final String caller;

  FilterGuard(
      GuardedFilter filter,
      FilterWrites writes,
      KeyRules rules,
      LoadSteps steps,
      ValueType<V> type,
      EntryPoint entry,
      String caller) {
    super(filter, rules, steps, type, entry);
    this.writes = writes;
    this.loads = new KeyedLoads(steps);
    this.asyncLoads = new AsyncLoads(steps);
    this.rejected = new RejectedKeys<>(filter, steps, loads, asyncLoads, type, entry, caller);
    this.batchCalls = new BatchCalls<>(this, rejected, new BatchLoads(steps, loads::get));
    this.caller = caller;
  }

  @Override
  public String filter() {
    return filter.name();
  }

  @Override
  public Membership check(Object key) {
    Object asked = asked(key);
    return checked(asked, decide(asked));
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    Object asked = asked(key);
    return decideLater(
        asked,
        membership -> CompletableFuture.completedFuture(checked(asked, membership)),
        NOTHING_LATE);
  }

  private Membership checked(Object asked, Membership membership) {
    record(decision(membership));
    return answer(asked, membership);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    List<String> canonical = canonical(keys);
    return allChecked(canonical, decideAll(canonical));
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    List<String> canonical = canonical(keys);
    return decideAllLater(
        canonical,
        answers -> CompletableFuture.completedFuture(allChecked(canonical, answers)),
        NOTHING_LATE);
  }

  private List<Membership> allChecked(List<String> canonical, Membership[] answers) {
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

  @Override
  public @Nullable Foresight foresee(Object key, BooleanSupplier follows) {
    Object asked = unrecorded(key);
    if (inMemory) {
      return said(asked) == Membership.ABSENT && follows.getAsBoolean()
          ? () -> rejected.rejectAhead(asked)
          : null;
    }
    // A filter that rejects nothing is asked once, by the call.
    if (!filter.verification().enforces() || !follows.getAsBoolean()) {
      return null;
    }
    Membership membership = said(asked);
    return membership == Membership.ABSENT
        ? () -> rejected.rejectAhead(asked)
        : () -> leave(asked, membership);
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
    // A copy, because its owner may change the collection meanwhile.
    List<K> asked = new ArrayList<>(keys);
    List<String> canonical = canonical(asked);
    Decided<K> decided = judged(asked, canonical, decideAll(canonical));
    return admitted(
        decided, decided.doubtful() ? place(decided.queues(), decided.answers().length) : null);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterLater(Collection<K> keys) {
    List<K> asked = new ArrayList<>(keys);
    List<String> canonical = canonical(asked);
    return decideAllLater(
        canonical, answers -> enterLater(judged(asked, canonical, answers)), Admission::close);
  }

  private <K> CompletableFuture<Admission<K>> enterLater(Decided<K> decided) {
    if (!decided.doubtful()) {
      return CompletableFuture.completedFuture(admitted(decided, null));
    }
    long nanos = steps.queueing(decided.queues(), System.nanoTime());
    return BulkheadAdmission.later(
        steps.bulkhead().enterLater(Place.current(), nanos),
        place -> admitted(decided, place),
        failure -> record(ending(failure), decided.answers().length));
  }

  private <K> Decided<K> judged(List<K> asked, List<String> canonical, Membership[] answers) {
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
    return decideLater(
        asked, membership -> entered(key, asked, membership, onTrial), Admission::close);
  }

  private <K> CompletableFuture<Admission<K>> entered(
      K key, Object asked, Membership membership, Consumer<? super Trial> onTrial) {
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
    V value;
    try {
      value = membership == Membership.UNKNOWN ? throughBulkhead(asked, loader) : loader.load();
    } catch (Throwable e) {
      record(thrown(e));
      throw e;
    }
    record(decision(membership));
    return value;
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
    Answer<V> answer;
    try {
      answer = loads.get(request(text(asked), membership), loader);
    } catch (Throwable e) {
      record(thrown(e));
      throw e;
    }
    record(outcome(membership, answer));
    return answer.value();
  }

  @Override
  public <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    return batchCalls.getAll(keys, loader);
  }

  @Override
  public CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    Object asked = asked(key);
    return decideLater(asked, membership -> gotLater(asked, membership, loader), NOTHING_LATE);
  }

  private CompletionStage<@Nullable V> gotLater(
      Object asked,
      Membership membership,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    if (membership == Membership.ABSENT) {
      return rejected.getAsync(asked, loader);
    }
    requireOpen(membership, 1);
    return asyncLoads
        .get(request(text(asked), membership), loader)
        .whenComplete((answer, failure) -> record(ending(membership, answer, failure)))
        .<@Nullable V>thenApply(Answer::value);
  }

  @Override
  public <K> CompletionStage<Map<K, V>> getAllAsync(
      Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
    List<K> asked = new ArrayList<>(keys);
    return later.handedOver(() -> getAll(asked, later.waiting(loader)));
  }

  @Override
  public CompletionStage<Boolean> putAsync(Object key) {
    return putAllAsync(List.of(key)).thenApply(added -> added > 0);
  }

  @Override
  public CompletionStage<Integer> putAllAsync(Collection<?> keys) {
    List<String> distinct = distinct(canonicalForWrite(keys));
    return later.waited(() -> added(distinct));
  }

  @Override
  public CompletionStage<@Nullable Void> evictAsync(Object key) {
    List<String> canonical = List.of(canonicalForWrite(key));
    return later.waited(
        () -> {
          writes.evict(canonical, writes.beginRemoval());
          return null;
        });
  }

  @Override
  public boolean put(Object key) {
    return putAll(List.of(key)) > 0;
  }

  @Override
  public int putAll(Collection<?> keys) {
    return added(distinct(canonicalForWrite(keys)));
  }

  /** Adds canonical keys; how many were new. */
  private int added(List<String> distinct) {
    int added = 0;
    for (boolean isNew : writes.put(distinct)) {
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
}
