package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.confirm.Confirmations;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.load.Waits;
import io.bloomguard.guard.internal.verify.Verdict;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Asks the exact source of a blacklist for the keys that the filter alone would reject. */
record ExactAnswers(KeyDecisions<?> decisions, Policy policy, Confirmations confirmations) {

  /** The verdicts after the source's answers, outside the place that these come in. */
  CompletableFuture<Verdict[]> confirmed(List<?> asked, Verdict[] verdicts, Waits waits) {
    Map<String, CompletableFuture<Membership>> questions = questions(asked, verdicts);
    CompletableFuture<Void> answers =
        CompletableFuture.allOf(questions.values().toArray(CompletableFuture[]::new));
    if (answers.isDone()) {
      return CompletableFuture.completedFuture(settled(asked, verdicts, questions));
    }
    CompletableFuture<Verdict[]> confirmed = new CompletableFuture<>();
    Runnable settle = () -> confirmed.complete(settled(asked, verdicts, questions));
    LoadThreads threads = decisions.steps.threads();
    if (waits.caller() != null) {
      waits.onInterrupt(settle);
      waits.after(confirmations.timeout().toNanos(), settle);
    } else if (!threads.tryBegin()) {
      return decisions.async.shed(verdicts.length);
    }
    Runnable end = waits.caller() == null ? threads::end : () -> {};
    decisions.async.continued(answers, verdicts.length, waits, end, settle, confirmed);
    return confirmed;
  }

  /** The future answers of the exact source, by folded key. */
  private Map<String, CompletableFuture<Membership>> questions(List<?> asked, Verdict[] verdicts) {
    Set<String> held = new LinkedHashSet<>();
    for (int i = 0; i < verdicts.length; i++) {
      if (verdicts[i].isRejected()) {
        held.add(fold(asked.get(i)));
      }
    }
    return held.isEmpty() ? Map.of() : confirmations.askAll(held);
  }

  private Verdict[] settled(
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
