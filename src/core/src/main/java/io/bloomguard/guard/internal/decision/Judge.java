package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.confirm.Confirmations;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.verify.Verdict;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks what the policy of a filter needs to judge the keys of a call, and shows denied keys.
 *
 * @param exact the exact source of a blacklist, asked for the keys that the filter alone would
 *     reject; null if the filter decides
 */
record Judge(KeyDecisions<?> decisions, Policy policy, @Nullable Confirmations exact) {

  /** The verdict on each key of the call, if the filter is not to be asked. */
  @Nullable Verdict unasked() {
    return decisions.lacksScope() ? Verdict.PENDING : policy.unasked();
  }

  /** Whether one key's verdict is there without a wait, so that any thread may ask for it. */
  boolean isAtOnce() {
    return exact == null && decisions.async.stays();
  }

  /** What a caller does with the verdict. */
  enum Purpose {
    /** It answers as the filter does: no exact source, no trial, and no refusal. */
    CHECK,
    /** It continues with the keys that pass. */
    ADMIT,
    /** It does so, and learns whether a key exists: the key may be a trial. */
    TRY
  }

  /**
   * The verdict on a key.
   *
   * @throws RequestShedException if the policy refuses the call
   */
  Verdict judge(Object asked, Purpose purpose) {
    if (exact != null) {
      return judgeAll(List.of(asked), purpose)[0];
    }
    Verdict verdict = unasked();
    if (verdict == null) {
      verdict = policy.judge(asked, decisions.answers.check(asked), purpose == Purpose.TRY);
      requireOpen(verdict, purpose, 1);
      show(asked, verdict);
    }
    return verdict;
  }

  /** The verdicts on the keys of one call, whose thread waits for them. */
  Verdict[] judgeAll(List<?> asked, Purpose purpose) {
    return LoadStages.<Verdict[], RequestShedException>result(
        judgeAll(asked, purpose, Duration.ZERO, CompletableFuture::completedFuture));
  }

  /**
   * Continues with the verdicts on the keys of one call: {@link #judge}. A {@link Pass} that comes
   * after the caller has cancelled the answer is closed.
   *
   * @param atLeast the time that the filter's backend has to answer a caller that waits; null for
   *     one whose thread must not wait
   */
  <T extends @Nullable Object> CompletableFuture<T> judgeAll(
      List<?> asked,
      Purpose purpose,
      @Nullable Duration atLeast,
      Function<Verdict[], ? extends CompletionStage<T>> next) {
    Verdict unasked = unasked();
    if (unasked != null) {
      return next.apply(all(unasked, asked)).toCompletableFuture();
    }
    Function<Membership[], CompletionStage<T>> judging =
        answers -> {
          Verdict[] verdicts = judged(asked, answers, purpose);
          return exact == null || purpose == Purpose.CHECK
              ? next.apply(settled(asked, verdicts, purpose))
              : LoadStages.then(
                  confirmed(asked, verdicts, atLeast != null, exact),
                  confirmed -> next.apply(settled(asked, confirmed, purpose)));
        };
    return atLeast == null
        ? decisions.async.answered(asked, judging)
        : judging.apply(decisions.answers(asked, atLeast)).toCompletableFuture();
  }

  /** The verdicts of the policy, which refuses the call before it picks any key for a trial. */
  private Verdict[] judged(List<?> asked, Membership[] answers, Purpose purpose) {
    if (Arrays.asList(answers).contains(Membership.UNKNOWN)) {
      requireOpen(Policy.undecided(decisions.filter), purpose, answers.length);
    }
    Verdict[] verdicts = new Verdict[answers.length];
    for (int i = 0; i < answers.length; i++) {
      verdicts[i] = policy.judge(asked.get(i), answers[i], purpose == Purpose.TRY);
    }
    return verdicts;
  }

  private static Verdict[] all(Verdict verdict, List<?> asked) {
    Verdict[] verdicts = new Verdict[asked.size()];
    Arrays.fill(verdicts, verdict);
    return verdicts;
  }

  private Verdict[] settled(List<?> asked, Verdict[] verdicts, Purpose purpose) {
    for (Verdict verdict : verdicts) {
      requireOpen(verdict, purpose, verdicts.length);
    }
    for (int i = 0; i < verdicts.length; i++) {
      show(asked.get(i), verdicts[i]);
    }
    return verdicts;
  }

  private void show(Object asked, Verdict verdict) {
    if (verdict.isRejected()) {
      decisions.filter.deniedKeys().onDenied(asked);
    }
  }

  /** What a check answers for a key. */
  Membership membership(Verdict verdict) {
    boolean listed = decisions.filter.rejection().reject() == Reject.PRESENT;
    return switch (verdict) {
      case PASS -> listed ? Membership.ABSENT : Membership.POSSIBLY_PRESENT;
      case REJECT -> listed ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
      default -> Membership.UNKNOWN;
    };
  }

  private void requireOpen(Verdict verdict, Purpose purpose, int keys) {
    if (verdict == Verdict.REFUSE && purpose != Purpose.CHECK) {
      decisions.record(Outcome.SHED, keys);
      throw RequestShedException.undecided(decisions.filter.name());
    }
  }

  /** The verdicts after the source's answers, outside the place that these come in. */
  private CompletableFuture<Verdict[]> confirmed(
      List<?> asked, Verdict[] verdicts, boolean waits, Confirmations source) {
    Map<String, CompletableFuture<Membership>> questions = questions(asked, verdicts, source);
    CompletableFuture<Void> answers =
        CompletableFuture.allOf(questions.values().toArray(CompletableFuture[]::new));
    if (waits) {
      LoadStages.await(answers, source.timeout().toNanos());
    }
    if (waits || answers.isDone()) {
      return CompletableFuture.completedFuture(answered(asked, verdicts, questions));
    }
    return decisions.steps.threads().tryBegin()
        ? decisions.async.later(
            answers,
            verdicts.length,
            come -> CompletableFuture.completedFuture(answered(asked, verdicts, questions)))
        : decisions.async.shed(verdicts.length);
  }

  /** The future answers of the exact source, by folded key. */
  private Map<String, CompletableFuture<Membership>> questions(
      List<?> asked, Verdict[] verdicts, Confirmations source) {
    Set<String> held = new LinkedHashSet<>();
    for (int i = 0; i < verdicts.length; i++) {
      if (verdicts[i].isRejected()) {
        held.add(fold(asked.get(i)));
      }
    }
    return held.isEmpty() ? Map.of() : source.askAll(held);
  }

  private Verdict[] answered(
      List<?> asked, Verdict[] verdicts, Map<String, CompletableFuture<Membership>> questions) {
    Verdict[] settled = verdicts.clone();
    for (int i = 0; i < settled.length; i++) {
      CompletableFuture<Membership> answer =
          settled[i].isRejected() ? questions.get(fold(asked.get(i))) : null;
      if (answer != null) {
        Membership exact = answer.getNow(Membership.UNKNOWN);
        settled[i] =
            exact == Membership.ABSENT ? Verdict.REFUTED : policy.judge(asked.get(i), exact, false);
      }
    }
    return settled;
  }

  private String fold(Object asked) {
    return decisions.rules.fold(KeyDecisions.text(asked));
  }
}
