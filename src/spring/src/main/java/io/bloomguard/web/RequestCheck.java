package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.web.internal.Problem;
import io.bloomguard.web.internal.RuleRefusal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The check of one request: the questions of the rules that match it, in their order, until one
 * refuses. Servlets wait for each answer, and WebFlux must not.
 *
 * <p>A request that the handler would not take (another path, a variable that does not convert) is
 * under no question, and nor is one that goes to another annotated handler, unless the filter is a
 * blacklist.
 *
 * <p><b>Requests that another program serves</b>, or a handler that is not known, have {@link
 * TwoReadings}. The key of the plain one is judged; the key of the other too if the filter is a
 * blacklist, or the rule does not match the plain one. A path is in doubt if it {@linkplain
 * TwoReadings#isUnclear() is unclear}, or as it came hits a rule that it does not hit when it is
 * plain. Then an absent key passes at the rate of verifications, and where the plain reading begins
 * as the pattern of a blacklist or of a closed filter does, the request is refused. The same holds
 * for a path in which a third program may read a path of the rule, if the plain reading is none. A
 * blacklist and a closed filter also refuse a key that is not written as its type is: {@code 7%20x}
 * is no long here, and 7 to the next program. So they do a request whose parameter tells another
 * key than its path, if a handler may take it from there.
 */
final class RequestCheck {

  private final List<CompiledRule> rules;
  private final AskedRequest request;
  private final String method;
  private final PathReading path;
  private @Nullable TwoReadings readings;
  private boolean inDoubt;

  /** Twice the place of the next rule, and one more for its key in the path as it came. */
  private int place;

  RequestCheck(List<CompiledRule> rules, AskedRequest request) {
    this.rules = rules;
    this.request = request;
    this.method = request.method();
    this.path = request.path();
  }

  /**
   * The next question; null if the request passes.
   *
   * @throws InvalidKeyException if its path is not well-formed
   */
  @Nullable Question next() {
    while (place < 2 * rules.size()) {
      CompiledRule rule = rules.get(place / 2);
      boolean first = place++ % 2 == 0;
      if (rule.judges(method) && !request.isPreFlight()) {
        Question question =
            rule.isServedElsewhere()
                ? first ? plain(rule) : asCame(rule)
                : first ? served(rule) : null;
        if (question != null) {
          return question;
        }
      }
    }
    return null;
  }

  /**
   * Asks all questions, and waits for the answers of the filters.
   *
   * @param holds gets what the request holds if it passes; null for a decision alone, by a caller
   *     that does not see how the request ends
   * @return the answer in place of the handler's; null if the request passes
   */
  @Nullable RuleRefusal refusal(@Nullable RequestHolds holds) {
    try {
      for (Question question = next(); question != null; question = next()) {
        if (!question.ask(holds)) {
          return question.refusal();
        }
      }
      return null;
    } catch (RuntimeException e) {
      return RuleRefusal.of(e);
    }
  }

  /** The question of a rule whose handlers are known; null for none. */
  private @Nullable Question served(CompiledRule rule) {
    Object key = rule.key(request, path, false);
    boolean overridden = rule.isOverridden(request, path, false);
    if (key == null) {
      return overridden && rule.isBlacklist() ? new Question(rule, null, path, false, false) : null;
    }
    return new Question(rule, key, null, !overridden, !overridden && isTrial(rule));
  }

  private boolean isTrial(CompiledRule rule) {
    return rule.rule().verify() && WebRule.READS.contains(method);
  }

  private @Nullable Question plain(CompiledRule rule) {
    TwoReadings both = readings();
    Object key = rule.key(request, both.plain(), true);
    if ((key == null || both.isCut()) && rule.pattern().mayBegin(both.pieces())) {
      return new Question(rule, null, null, true, false);
    }
    // Another program may read more spellings of a key, and other keys, in other texts.
    boolean written = rule.isWritten(both.plain());
    if (key == null) {
      return (inDoubt || !written) && rule.pattern().begins(both.plain())
          ? new Question(rule, null, both.plain(), written, false)
          : null;
    }
    if (inDoubt || !written) {
      return new Question(rule, key, inDoubt ? both.plain() : null, written, false);
    }
    boolean alone =
        isTrial(rule)
            && key.toString().equals(rule.text(both.plain(), true))
            && (both.agree() || key.toString().equals(rule.text(both.asCame(), false)))
            && !rule.isOverridden(request, both.plain(), true);
    return new Question(rule, key, null, true, alone);
  }

  private @Nullable Question asCame(CompiledRule rule) {
    TwoReadings both = readings();
    Object key = both.agree() ? null : rule.key(request, both.asCame(), false);
    Object plain = key == null ? null : rule.key(request, both.plain(), true);
    return key != null && (plain == null || rule.isBlacklist() && !plain.equals(key))
        ? new Question(rule, key, inDoubt ? both.plain() : null, true, false)
        : null;
  }

  private TwoReadings readings() {
    if (readings == null) {
      TwoReadings both = TwoReadings.of(path);
      readings = both;
      inDoubt =
          both.isUnclear()
              || !both.agree() && rules.stream().anyMatch(rule -> hitsAsItCameOnly(rule, both));
    }
    return readings;
  }

  private boolean hitsAsItCameOnly(CompiledRule rule, TwoReadings both) {
    return rule.isServedElsewhere()
        && rule.judges(method)
        && rule.text(both.asCame(), false) != null
        && rule.text(both.plain(), true) == null;
  }

  /**
   * The question of one rule, whether the request may pass.
   *
   * @param key the request's key; null if it is asked only whether a request in doubt passes
   * @param doubted the plain reading of a path that is in doubt; null if it is in none, or without
   *     a key, if a third reading may be one of the rule
   * @param written whether a program that takes the key's text in its own way reads no other key
   * @param trial whether the answer to the request shows whether the key exists
   */
  record Question(
      CompiledRule rule,
      @Nullable Object key,
      @Nullable PathReading doubted,
      boolean written,
      boolean trial) {

    /**
     * Asks, and waits for the answer.
     *
     * @param holds gets what the request holds if it passes; null for a decision alone
     * @return false if the request is refused
     * @throws RequestShedException if the request is to come again later
     * @throws InvalidKeyException if the key breaks the rules for keys
     */
    boolean ask(@Nullable RequestHolds holds) {
      boolean taken = isTaken();
      if (!taken || key == null) {
        return taken;
      }
      if (holds == null) {
        return guard().admit(key) || letsPass();
      }
      try (Scope placed = holds.enterPlace()) {
        return passes(guard().ask(asked(key)), holds);
      }
    }

    /** Asks for the key on a thread that must not wait. */
    CompletableFuture<Pass<Object>> askLater(Object key, RequestHolds holds) {
      try (Scope placed = holds.enterPlace()) {
        return guard().askLater(asked(key));
      }
    }

    /** Whether the request passes by the answer of the guard. */
    boolean passes(Pass<Object> pass, RequestHolds holds) {
      return holds.add(pass, rule.rule()) || letsPass();
    }

    /** Whether the rule takes the request, though it may be in doubt. */
    boolean isTaken() {
      if (doubted == null && key == null) {
        return guard().admitUnclear() && letsPass();
      }
      boolean clear = written && (doubted == null || !rule.pattern().begins(doubted));
      return clear || guard().admitUnclear();
    }

    private boolean letsPass() {
      return (doubted != null || key == null) && !rule.isBlacklist() && guard().letPass();
    }

    private EntryGuard<Object> guard() {
      return rule.guard();
    }

    private Ask<Object> asked(Object key) {
      Ask<Object> asked = Ask.toPassOn(key);
      return trial ? asked.tried() : asked;
    }

    /** The answer to the request if it is refused. */
    RuleRefusal refusal() {
      return new RuleRefusal(rule.isBlacklist() ? Problem.REJECTED : Problem.ABSENT);
    }
  }
}
