package io.bloomguard.guard.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.GuardedFilter;
import io.bloomguard.guard.KeyWrites;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.Answer;
import io.bloomguard.guard.load.AsyncLoads;
import io.bloomguard.guard.load.BatchLoads;
import io.bloomguard.guard.load.KeyedLoads;
import io.bloomguard.guard.load.LoadSteps;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The guard of one filter, one cache and one entry: decides, delegates, counts one outcome. */
final class FilterGuard<V> implements BloomGuard<V> {

  private static final Consumer<@Nullable Object> NOTHING_LATE = late -> {};

  private final KeyDecisions<V> decisions;
  private final GuardedFilter filter;
  private final KeyWrites writes;
  private final LoadSteps steps;
  private final KeyedLoads loads;
  private final AsyncLoads asyncLoads;
  private final BatchCalls<V> batchCalls;
  private final RejectedKeys<V> rejected;
  private final String caller;

  FilterGuard(KeyDecisions<V> decisions, KeyWrites writes, String caller) {
    this.decisions = decisions;
    this.filter = decisions.filter;
    this.writes = writes;
    this.steps = decisions.steps;
    this.loads = new KeyedLoads(steps);
    this.asyncLoads = new AsyncLoads(steps);
    this.rejected = new RejectedKeys<>(decisions, loads, asyncLoads, caller);
    this.batchCalls = new BatchCalls<>(decisions, rejected, new BatchLoads(steps, loads::get));
    this.caller = caller;
  }

  @Override
  public String filter() {
    return filter.name();
  }

  @Override
  public KeyWrites writes() {
    return writes;
  }

  @Override
  public Membership check(Object key) {
    Object asked = decisions.canonical(key);
    return checked(asked, decisions.decide(asked));
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    Object asked = decisions.canonical(key);
    return decisions.decideAsync(
        asked,
        membership -> CompletableFuture.completedFuture(checked(asked, membership)),
        NOTHING_LATE);
  }

  private Membership checked(Object asked, Membership membership) {
    decisions.record(membership);
    return answer(asked, membership);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    List<String> canonical = decisions.canonical(keys);
    return allChecked(canonical, decisions.decideAll(canonical));
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    List<String> canonical = decisions.canonical(keys);
    return decisions.decideAllAsync(
        canonical,
        answers -> CompletableFuture.completedFuture(allChecked(canonical, answers)),
        NOTHING_LATE);
  }

  private List<Membership> allChecked(List<String> canonical, Membership[] answers) {
    for (int i = 0; i < answers.length; i++) {
      decisions.record(answers[i]);
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
    Object asked = decisions.canonical(key);
    Membership membership = decisions.decide(asked);
    decisions.requireOpen(membership, 1);
    decisions.record(membership);
    return membership != Membership.ABSENT || !rejected.rejects(asked);
  }

  @Override
  public boolean admit(
      Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace) {
    Object asked = decisions.canonical(key);
    Membership membership = decisions.decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.admit(asked, onTrial);
    }
    decisions.requireOpen(membership, 1);
    if (membership == Membership.UNKNOWN) {
      onPlace.accept(decisions.place(decisions.queues(KeyDecisions.text(asked), membership), 1));
    }
    decisions.record(membership);
    return true;
  }

  @Override
  public int reportFound(Collection<?> keys) {
    return filter.verification().report(decisions.distinctForWrite(keys), decisions.entry, caller);
  }

  @Override
  public <K> Admission<K> enter(Collection<K> keys) {
    // A copy, because its owner may change the collection meanwhile.
    List<K> asked = new ArrayList<>(keys);
    List<String> canonical = decisions.canonical(asked);
    Decided<K> decided = judged(asked, canonical, decisions.decideAll(canonical));
    return admitted(
        decided,
        decided.doubtful() ? decisions.place(decided.queues(), decided.answers().length) : null);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(Collection<K> keys) {
    List<K> asked = new ArrayList<>(keys);
    List<String> canonical = decisions.canonical(asked);
    return decisions.decideAllAsync(
        canonical, answers -> enterAsync(judged(asked, canonical, answers)), Admission::close);
  }

  private <K> CompletableFuture<Admission<K>> enterAsync(Decided<K> decided) {
    if (!decided.doubtful()) {
      return CompletableFuture.completedFuture(admitted(decided, null));
    }
    long nanos = steps.queueing(decided.queues(), System.nanoTime());
    return BulkheadAdmission.later(
        steps.bulkhead().enterAsync(Place.current(), nanos),
        place -> admitted(decided, place),
        failure -> decisions.record(KeyDecisions.ending(failure), decided.answers().length));
  }

  private <K> Decided<K> judged(List<K> asked, List<String> canonical, Membership[] answers) {
    boolean[] passes = new boolean[answers.length];
    boolean doubtful = false;
    for (int i = 0; i < answers.length; i++) {
      decisions.requireOpen(answers[i], answers.length);
      passes[i] = answers[i] != Membership.ABSENT || !rejected.rejects(canonical.get(i));
      doubtful |= passes[i] && answers[i] != Membership.POSSIBLY_PRESENT;
    }
    boolean queue = true;
    for (int i = 0; i < answers.length; i++) {
      queue = queue && decisions.queues(canonical.get(i), answers[i]);
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
      decisions.record(decided.answers()[i]);
      if (decided.passes()[i++]) {
        admitted.add(key);
      }
    }
    return new BulkheadAdmission<>(admitted, place);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(K key, Consumer<? super Trial> onTrial) {
    Object asked = decisions.canonical(key);
    return decisions.decideAsync(
        asked, membership -> entered(key, asked, membership, onTrial), Admission::close);
  }

  private <K> CompletableFuture<Admission<K>> entered(
      K key, Object asked, Membership membership, Consumer<? super Trial> onTrial) {
    if (membership == Membership.ABSENT) {
      return rejected.enterAsync(key, asked, onTrial);
    }
    decisions.requireOpen(membership, 1);
    if (membership != Membership.UNKNOWN) {
      decisions.record(membership);
      return CompletableFuture.completedFuture(new BulkheadAdmission<>(List.of(key), null));
    }
    long nanos =
        steps.queueing(decisions.queues(KeyDecisions.text(asked), membership), System.nanoTime());
    return BulkheadAdmission.later(
        steps.bulkhead().enterAsync(Place.current(), nanos),
        place -> {
          decisions.record(membership);
          return new BulkheadAdmission<>(List.of(key), place);
        },
        failure -> decisions.record(KeyDecisions.ending(failure)));
  }

  @Override
  public <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X {
    Object asked = decisions.canonical(key);
    Membership membership = decisions.decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.call(asked, loader);
    }
    return called(asked, membership, loader);
  }

  private <X extends Throwable> @Nullable V called(
      Object asked, Membership membership, ValueLoader<V, X> loader) throws X {
    decisions.requireOpen(membership, 1);
    V value;
    try {
      value = membership == Membership.UNKNOWN ? throughBulkhead(asked, loader) : loader.load();
    } catch (Throwable e) {
      decisions.record(KeyDecisions.thrown(e));
      throw e;
    }
    decisions.record(membership);
    return value;
  }

  private <X extends Throwable> @Nullable V throughBulkhead(Object asked, ValueLoader<V, X> loader)
      throws X {
    boolean queues = decisions.queues(KeyDecisions.text(asked), Membership.UNKNOWN);
    return steps.inPlace(steps.queueing(queues, System.nanoTime()), loader);
  }

  @Override
  public <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X {
    Object asked = decisions.canonical(key);
    Membership membership = decisions.decide(asked);
    if (membership == Membership.ABSENT) {
      return rejected.get(asked, loader);
    }
    return got(asked, membership, loader);
  }

  private <X extends Throwable> @Nullable V got(
      Object asked, Membership membership, ValueLoader<V, X> loader) throws X {
    decisions.requireOpen(membership, 1);
    Answer<V> answer;
    try {
      answer = loads.get(decisions.request(KeyDecisions.text(asked), membership), loader);
    } catch (Throwable e) {
      decisions.record(KeyDecisions.thrown(e));
      throw e;
    }
    decisions.record(KeyDecisions.outcome(membership, answer));
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
    Object asked = decisions.canonical(key);
    return decisions.decideAsync(
        asked, membership -> gotAsync(asked, membership, loader), NOTHING_LATE);
  }

  private CompletionStage<@Nullable V> gotAsync(
      Object asked,
      Membership membership,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    if (membership == Membership.ABSENT) {
      return rejected.getAsync(asked, loader);
    }
    decisions.requireOpen(membership, 1);
    return asyncLoads
        .get(decisions.request(KeyDecisions.text(asked), membership), loader)
        .whenComplete(
            (answer, failure) -> decisions.record(KeyDecisions.ending(membership, answer, failure)))
        .<@Nullable V>thenApply(Answer::value);
  }

  @Override
  public <K> CompletionStage<Map<K, V>> getAllAsync(
      Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
    List<K> asked = new ArrayList<>(keys);
    int distinct = KeyDecisions.distinct(decisions.canonical(asked)).size();
    return decisions.async.batch(distinct, () -> getAll(asked, decisions.async.waiting(loader)));
  }
}
