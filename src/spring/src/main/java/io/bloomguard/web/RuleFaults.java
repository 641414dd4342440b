package io.bloomguard.web;

import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.FilterRefusal;
import io.bloomguard.guard.internal.Reject;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** The faults by which a rule could never apply as meant, whatever its handlers are. */
final class RuleFaults {

  private static final List<String> METHODS =
      List.of("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE");

  private RuleFaults() {}

  /**
   * The pattern of a rule without a fault.
   *
   * @throws StartRefusedException for its first fault
   */
  static RulePattern pattern(WebRule rule, EntryGuards guards, PathPatternParser parser) {
    FilterRefusal refusal = FilterRefusal.of(guards, rule.filter());
    if (refusal != null) {
      throw rule.refusal(refusal.problem(), refusal.action());
    }
    Set<String> unknown = new TreeSet<>(rule.methods());
    METHODS.forEach(unknown::remove);
    rule.refuseIf(
        !unknown.isEmpty(),
        "names the unknown methods " + unknown,
        "Name some of " + METHODS + ", in capital letters");
    RulePattern pattern = parsed(rule, parser);
    Set<String> variables = PatternPlaces.variables(pattern.text());
    rule.refuseIf(
        !variables.contains(rule.key()),
        "names the key '" + rule.key() + "', which is no variable of the pattern",
        variables.isEmpty() ? "Put {" + rule.key() + "} into it" : "Name one of " + variables);
    boolean blacklist = guards.rejects(rule.filter()) == Reject.PRESENT;
    requireTelling(rule);
    requireScope(rule, guards.scope(rule.filter()) != null, blacklist, variables);
    rule.refuseIf(
        rule.verify() && blacklist,
        "has verify: true, but the filter '" + rule.filter() + "' is a blacklist",
        "Leave verify out: the handler's answer for a blacklisted key proves nothing");
    return pattern;
  }

  private static RulePattern parsed(WebRule rule, PathPatternParser parser) {
    try {
      return RulePattern.of(rule.pattern(), parser);
    } catch (PatternParseException e) {
      throw rule.refusal(
          "has a pattern that cannot be parsed: " + e.getMessage(),
          "Write it as in @GetMapping, such as /api/products/{id}");
    }
  }

  /** Refuses methods and statuses that tell nothing of a key, or that nothing would read. */
  private static void requireTelling(WebRule rule) {
    Set<String> methods = rule.methods();
    Set<Integer> found = rule.found();
    Set<Integer> absent = rule.absent();
    rule.refuseIf(
        rule.verify() && !methods.isEmpty() && Collections.disjoint(methods, WebRule.READS),
        "has verify: true for the methods " + new TreeSet<>(methods),
        "Add GET or HEAD, whose answers show whether a key exists, or leave verify out");
    rule.refuseIf(
        !rule.verify() && !(found.equals(WebRule.FOUND) && absent.equals(WebRule.ABSENT)),
        "names statuses for its verification, which it has not",
        "Set verify: true");
    rule.refuseIf(
        found.isEmpty()
            || absent.isEmpty()
            || !Collections.disjoint(found, absent)
            || Stream.of(found, absent).flatMap(Set::stream).anyMatch(s -> s < 200 || s >= 600),
        "has found: " + found + " and absent: " + absent,
        "Name statuses from 200 to 599, none of them in both");
  }

  /**
   * Refuses a rule that judges before the scope of its filter's keys is known. Another spelling of
   * a scope proves nothing, and would pass a blacklist.
   */
  private static void requireScope(
      WebRule rule, boolean scoped, boolean blacklist, Set<String> variables) {
    String keys = "the keys of the filter '" + rule.filter() + "' have ";
    String scope = "has the scope '" + rule.scope() + "', ";
    rule.refuseIf(
        scoped && (rule.verify() || blacklist),
        "is a blacklist's or has verify: true, but "
            + keys
            + "a scope, which a request may spell in several ways",
        "Leave verify out, and judge a blacklist's keys by @BloomGuarded on a method");
    rule.refuseIf(
        scoped && rule.scope().isEmpty(),
        "judges before the scope is known that " + keys + "(keys.scope)",
        "Set scope to a variable of the pattern, or to header:NAME");
    rule.refuseIf(
        !scoped && !rule.scope().isEmpty(), scope + "but " + keys + "none", "Leave it out");
    rule.refuseIf(
        scoped && rule.scopeHeader() == null && !variables.contains(rule.scope()),
        scope + "which is no variable of the pattern",
        "Name one of " + variables + ", or header:NAME");
  }
}
