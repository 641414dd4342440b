package io.bloomguard.web;

import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.internal.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.util.pattern.PathPatternParser;

/** The rules of an application, in their order. */
final class WebRules {

  private final List<CompiledRule> rules;

  /**
   * @throws InvalidWebRuleException for the first rule that could never apply as meant
   */
  WebRules(
      List<WebRule> rules,
      EntryGuards guards,
      PathPatternParser parser,
      ConversionService conversion) {
    this.rules =
        rules.stream().map(rule -> new CompiledRule(rule, guards, parser, conversion)).toList();
  }

  /**
   * Takes the types of keys from the handlers.
   *
   * @throws InvalidWebRuleException for the first rule of a blacklist that could be spelled around
   */
  void prepare(MappedHandlers handlers) {
    rules.forEach(rule -> rule.prepare(handlers, rules));
  }

  /** Notes that another program serves all requests. */
  void serveElsewhere() {
    rules.forEach(CompiledRule::serveElsewhere);
  }

  RequestCheck check(AskedRequest request) {
    return new RequestCheck(rules, request);
  }

  /**
   * Checks a request, and waits for the answers of the filters.
   *
   * @param holds gets what the request holds if it passes; null for a decision alone, by a caller
   *     that does not see how the request ends
   * @return the answer in place of the handler's; null if the request passes
   */
  @Nullable Refusal refusal(AskedRequest request, @Nullable RequestHolds holds) {
    try {
      RequestCheck check = check(request);
      for (var question = check.next(); question != null; question = check.next()) {
        if (!question.ask(holds)) {
          return new Refusal(question.refusal());
        }
      }
      return null;
    } catch (RuntimeException e) {
      return Refusal.of(e);
    }
  }
}
