package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.internal.Problem;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The rules of an application in their order, and the questions that they ask of a request: one
 * sequence for servlets, which wait for each answer, and for WebFlux, which must not.
 *
 * <p>A request that the handler would not take (another path, a variable that does not convert) is
 * under no question, and nor is one that goes to another annotated handler, unless the filter is a
 * blacklist. If several rules match a request, each asks, until one refuses.
 *
 * <p><b>Requests that another program serves</b>, or a handler that is not known, have {@link
 * TwoReadings}. The key of the plain one is judged; the key of the other too if the filter is a
 * blacklist, or the rule does not match the plain one. A path is in doubt if it {@linkplain
 * TwoReadings#isUnclear() is unclear}, or as it came hits a rule that it does not hit when it is
 * plain. Then an absent key passes at the rate of verifications, and where the plain reading begins
 * as the pattern of a blacklist or of a closed filter does, the request is refused.
 *
 * @param <R> the requests of a web framework
 */
final class WebRules<R> {

  private final List<CompiledRule<R>> rules;
  private final RequestReading<R> requests;

  /**
   * @throws InvalidWebRuleException for the first rule that could never apply as meant
   */
  WebRules(
      List<WebRule> rules,
      EntryGuards guards,
      PathPatternParser parser,
      ConversionService conversion,
      RequestReading<R> requests) {
    this.rules =
        rules.stream().map(rule -> new CompiledRule<R>(rule, guards, parser, conversion)).toList();
    this.requests = requests;
  }

  /**
   * Takes the types of keys from the handlers.
   *
   * @throws InvalidWebRuleException for the first rule of a blacklist that could be spelled around
   */
  void prepare(MappedHandlers<R> handlers) {
    rules.forEach(rule -> rule.prepare(handlers, rules));
  }

  /** Notes that another program serves all requests. */
  void serveElsewhere() {
    rules.forEach(CompiledRule::serveElsewhere);
  }

  /**
   * The first question about a request; null if it passes unasked.
   *
   * @throws InvalidKeyException if its path is not well-formed
   */
  @Nullable Question first(R request) {
    return new Judgement(request).question(0);
  }

  /** What is read of a request, once for all rules. */
  private final class Judgement {

    private final R request;
    private final String method;
    private @Nullable PathContainer path;
    private @Nullable TwoReadings readings;
    private @Nullable Boolean doubt;

    Judgement(R request) {
      this.request = request;
      this.method = requests.method(request);
    }

    /**
     * @param from twice the place of a rule, and one more for its key in the path as it came
     */
    @Nullable Question question(int from) {
      for (int place = from; place < 2 * rules.size(); place++) {
        CompiledRule<R> rule = rules.get(place / 2);
        boolean first = place % 2 == 0;
        if (rule.judges(method)
            && (first || rule.isServedElsewhere())
            && !requests.isPreFlight(request)) {
          Question question =
              !rule.isServedElsewhere()
                  ? served(rule, place)
                  : first ? plain(rule, place) : asCame(rule, place);
          if (question != null) {
            return question;
          }
        }
      }
      return null;
    }

    private @Nullable Question served(CompiledRule<R> rule, int place) {
      if (path == null && rule.mayMatch(requests.uri(request))) {
        path = requests.path(request);
      }
      Object key = path == null ? null : rule.key(request, path, requests);
      return key == null ? null : new Question(this, place, rule, key, false, true);
    }

    private @Nullable Question plain(CompiledRule<R> rule, int place) {
      TwoReadings both = readings();
      Object key = rule.key(both.plain(), true, request, requests);
      if (isInDoubt()) {
        return key != null || rule.beginsAs(both.plain())
            ? new Question(this, place, rule, key, true, false)
            : null;
      }
      // Another program may read more spellings of a key, and other keys, in other texts.
      if (key == null) {
        return null;
      }
      String text = key.toString();
      boolean alone =
          rule.isVerified()
              && text.equals(rule.variable(both.plain(), true))
              && (both.agree() || text.equals(rule.variable(both.asCame(), false)));
      return new Question(this, place, rule, key, false, alone);
    }

    private @Nullable Question asCame(CompiledRule<R> rule, int place) {
      TwoReadings both = readings();
      if (both.agree()) {
        return null;
      }
      Object key = rule.key(both.asCame(), false, request, requests);
      Object plain = rule.key(both.plain(), true, request, requests);
      return key == null || key.equals(plain) || plain != null && !rule.isBlacklist()
          ? null
          : new Question(this, place, rule, key, isInDoubt(), false);
    }

    private TwoReadings readings() {
      if (readings == null) {
        readings = TwoReadings.of(requests.unparsed(request));
      }
      return readings;
    }

    private boolean isInDoubt() {
      if (doubt == null) {
        TwoReadings both = readings();
        doubt =
            both.isUnclear()
                || !both.agree() && rules.stream().anyMatch(rule -> hitsAsItCameOnly(rule, both));
      }
      return doubt;
    }

    private boolean hitsAsItCameOnly(CompiledRule<R> rule, TwoReadings both) {
      return rule.isServedElsewhere()
          && rule.judges(method)
          && rule.key(both.asCame(), false, request, requests) != null
          && rule.key(both.plain(), true, request, requests) == null;
    }
  }

  /** The question of one rule, whether the key of a request may pass. */
  final class Question {

    private final Judgement judgement;
    private final int place;
    private final CompiledRule<R> rule;
    private final @Nullable Object key;
    private final boolean inDoubt;
    private final boolean tells;

    /**
     * @param key null if it is asked only whether a request in doubt passes
     * @param tells whether the answer to the request shows whether the key exists
     */
    private Question(
        Judgement judgement,
        int place,
        CompiledRule<R> rule,
        @Nullable Object key,
        boolean inDoubt,
        boolean tells) {
      this.judgement = judgement;
      this.place = place;
      this.rule = rule;
      this.key = key;
      this.inDoubt = inDoubt;
      this.tells = tells;
    }

    /**
     * Asks, and waits for the answer.
     *
     * @param holds gets the place that the request needs, or the trial of a rejected key that
     *     passes
     * @return false if the key is rejected
     * @throws RequestShedException if the request is to come again later
     * @throws InvalidKeyException if the key breaks the rules for keys
     */
    boolean ask(RequestHolds holds) {
      return isTaken() && (key == null || rule.asks(key, trials(), holds) || letsPass());
    }

    /** Asks for a decision alone, for a caller that does not see how the request ends. */
    boolean decide() {
      return isTaken() && (key == null || rule.decides(key) || letsPass());
    }

    /** {@link #ask Asks} for a caller whose thread must not wait. */
    CompletableFuture<Boolean> askAsync(RequestHolds holds) {
      if (!isTaken()) {
        return CompletableFuture.completedFuture(false);
      }
      if (key == null) {
        return CompletableFuture.completedFuture(true);
      }
      CompletableFuture<Boolean> asked = rule.asksAsync(key, trials(), holds);
      return inDoubt ? asked.thenApply(passes -> passes || letsPass()) : asked;
    }

    /** Whether the rule takes requests in doubt. */
    private boolean isTaken() {
      return !inDoubt || rule.takesDoubt(judgement.readings().plain());
    }

    private boolean letsPass() {
      return inDoubt && rule.letsPass();
    }

    private boolean trials() {
      return tells && WebRule.READS.contains(judgement.method);
    }

    /** The answer to the request if the key is rejected. */
    Problem refusal() {
      return rule.refusal();
    }

    /** The question of a later rule; null if the request passes. */
    @Nullable Question next() {
      return judgement.question(place + 1);
    }
  }
}
