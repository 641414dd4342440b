package io.bloomguard.web;

import io.bloomguard.guard.internal.EntryGuards;
import java.util.List;
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
}
