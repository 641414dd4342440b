package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.RequestShedException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks what the policy of a filter needs to judge the keys of a call, and shows denied keys. */
final class Judge {

  private final KeyDecisions<?> decisions;
  private final Policy policy;
  private final @Nullable ExactAnswers exact;

  /**
   * @param exact asked for the keys that {@code policy} rejects; null if the filter alone decides
   */
  Judge(KeyDecisions<?> decisions, Policy policy, @Nullable ExactAnswers exact) {
    this.decisions = decisions;
    this.policy = policy;
    this.exact = exact;
  }

  Policy policy() {
    return policy;
  }

  // For a caller that asks for the filter's answer: no exact source, no trial, and no refusal.

  Verdict check(Object asked) {
    Verdict unasked = policy.unasked();
    return unasked != null ? unasked : checked(asked, decisions.check(asked));
  }

  <T extends @Nullable Object> CompletableFuture<T> checkAsync(
      Object asked, Function<Verdict, T> next) {
    Verdict unasked = policy.unasked();
    return unasked != null
        ? CompletableFuture.completedFuture(next.apply(unasked))
        : decisions.checkAsync(
            asked,
            answer -> CompletableFuture.completedFuture(next.apply(checked(asked, answer))),
            late -> {});
  }

  private Verdict checked(Object asked, Membership answer) {
    return shown(asked, policy.judge(asked, answer, false));
  }

  Verdict[] checkAll(List<String> canonical) {
    Verdict unasked = policy.unasked();
    return unasked != null
        ? all(unasked, canonical)
        : allChecked(canonical, decisions.filter.store().checkAll(canonical));
  }

  <T extends @Nullable Object> CompletableFuture<T> checkAllAsync(
      List<String> canonical, Function<Verdict[], T> next) {
    Verdict unasked = policy.unasked();
    return unasked != null
        ? CompletableFuture.completedFuture(next.apply(all(unasked, canonical)))
        : decisions.checkAllAsync(
            canonical,
            answers ->
                CompletableFuture.completedFuture(next.apply(allChecked(canonical, answers))),
            late -> {});
  }

  private Verdict[] allChecked(List<String> canonical, Membership[] answers) {
    return allShown(canonical, judged(canonical, answers, false));
  }

  // For a caller that continues with the keys that pass.

  /**
   * The verdict on a key.
   *
   * @throws RequestShedException if the policy refuses the call
   */
  Verdict admit(Object asked, boolean tries) {
    Verdict unasked = policy.unasked();
    if (unasked != null) {
      return unasked;
    }
    Verdict verdict = policy.judge(asked, decisions.check(asked), tries);
    if (exact != null && verdict.isRejected()) {
      verdict = exact.confirmed(List.of(KeyDecisions.text(asked)), new Verdict[] {verdict})[0];
    }
    return settled(asked, verdict);
  }

  /**
   * Continues with the verdict on a key, for a caller whose thread must not wait.
   *
   * @param late gets a result that comes after the caller has cancelled the answer
   */
  <T extends @Nullable Object> CompletableFuture<T> admitAsync(
      Object asked,
      boolean tries,
      Function<Verdict, ? extends CompletionStage<T>> next,
      Consumer<? super T> late) {
    Verdict unasked = policy.unasked();
    if (unasked != null) {
      return next.apply(unasked).toCompletableFuture();
    }
    return decisions.checkAsync(
        asked,
        answer -> {
          Verdict verdict = policy.judge(asked, answer, tries);
          return exact != null && verdict.isRejected()
              ? exact
                  .confirmedAsync(List.of(KeyDecisions.text(asked)), new Verdict[] {verdict})
                  .thenCompose(confirmed -> next.apply(settled(asked, confirmed[0])))
              : next.apply(settled(asked, verdict));
        },
        late);
  }

  /** The verdicts on the keys of one call: {@link #admit}. */
  Verdict[] admitAll(List<String> canonical, boolean tries) {
    Verdict unasked = policy.unasked();
    if (unasked != null) {
      return all(unasked, canonical);
    }
    Verdict[] verdicts = undoubted(canonical, decisions.filter.store().checkAll(canonical), tries);
    return allSettled(canonical, exact == null ? verdicts : exact.confirmed(canonical, verdicts));
  }

  /** Continues with the verdicts on the keys of one call: {@link #admitAsync}. */
  <T extends @Nullable Object> CompletableFuture<T> admitAllAsync(
      List<String> canonical,
      Function<Verdict[], ? extends CompletionStage<T>> next,
      Consumer<? super T> late) {
    Verdict unasked = policy.unasked();
    if (unasked != null) {
      return next.apply(all(unasked, canonical)).toCompletableFuture();
    }
    return decisions.checkAllAsync(
        canonical,
        answers -> {
          Verdict[] verdicts = undoubted(canonical, answers, false);
          return exact == null
              ? next.apply(allSettled(canonical, verdicts))
              : exact
                  .confirmedAsync(canonical, verdicts)
                  .thenCompose(confirmed -> next.apply(allSettled(canonical, confirmed)));
        },
        late);
  }

  /** The verdicts of the policy, which refuses the call before it picks any key for a trial. */
  private Verdict[] undoubted(List<String> canonical, Membership[] answers, boolean tries) {
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == Membership.UNKNOWN) {
        requireOpen(policy.judge(canonical.get(i), answers[i], false), answers.length);
      }
    }
    return judged(canonical, answers, tries);
  }

  private Verdict[] judged(List<String> canonical, Membership[] answers, boolean tries) {
    Verdict[] verdicts = new Verdict[answers.length];
    for (int i = 0; i < answers.length; i++) {
      verdicts[i] = policy.judge(canonical.get(i), answers[i], tries);
    }
    return verdicts;
  }

  private static Verdict[] all(Verdict verdict, List<String> canonical) {
    Verdict[] verdicts = new Verdict[canonical.size()];
    Arrays.fill(verdicts, verdict);
    return verdicts;
  }

  private Verdict settled(Object asked, Verdict verdict) {
    requireOpen(verdict, 1);
    return shown(asked, verdict);
  }

  private Verdict[] allSettled(List<String> canonical, Verdict[] verdicts) {
    for (Verdict verdict : verdicts) {
      requireOpen(verdict, verdicts.length);
    }
    return allShown(canonical, verdicts);
  }

  private void requireOpen(Verdict verdict, int keys) {
    if (verdict == Verdict.REFUSE) {
      decisions.record(Outcome.SHED, keys);
      throw RequestShedException.undecided(decisions.filter.name());
    }
  }

  private Verdict[] allShown(List<String> canonical, Verdict[] verdicts) {
    for (int i = 0; i < verdicts.length; i++) {
      shown(canonical.get(i), verdicts[i]);
    }
    return verdicts;
  }

  private Verdict shown(Object asked, Verdict verdict) {
    if (verdict.isRejected()) {
      decisions.filter.deniedKeys().onDenied(asked);
    }
    return verdict;
  }
}
