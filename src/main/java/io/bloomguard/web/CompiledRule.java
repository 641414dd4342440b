package io.bloomguard.web;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.FilterRefusal;
import io.bloomguard.guard.Reject;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueType;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.UriTemplate;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** A web rule, checked and ready to match. */
final class CompiledRule {

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

  private final PathPattern pattern;
  private final String beginning;
  private final Set<String> methods;
  private final String variable;
  private final KeyType type;
  private final ConversionService conversion;
  private final boolean verify;
  private final BloomGuard<Object> guard;
  private final Problem refusal;

  CompiledRule(
      WebRule rule, BloomGuards guards, PathPatternParser parser, ConversionService conversion) {
    FilterRefusal refusal = FilterRefusal.of(guards, rule.filter());
    if (refusal != null) {
      throw new InvalidWebRuleException(rule, refusal.problem(), refusal.action());
    }
    Set<String> unknown = new TreeSet<>(rule.methods());
    unknown.removeAll(METHODS);
    if (!unknown.isEmpty()) {
      throw new InvalidWebRuleException(
          rule,
          "names the unknown methods " + unknown,
          "Name some of " + new TreeSet<>(METHODS) + ", in capital letters");
    }
    try {
      this.pattern = parser.parse(parser.initFullPathPattern(rule.pattern()));
    } catch (PatternParseException e) {
      throw new InvalidWebRuleException(
          rule,
          "has a pattern that cannot be parsed: " + e.getMessage(),
          "Write it as in @GetMapping, such as /api/products/{id}");
    }
    Set<String> variables = variables(rule);
    if (!variables.contains(rule.key())) {
      throw new InvalidWebRuleException(
          rule,
          "names the key '" + rule.key() + "', which is no variable of the pattern",
          variables.isEmpty() ? "Put {" + rule.key() + "} into it" : "Name one of " + variables);
    }
    if (rule.verify() && Collections.disjoint(rule.methods(), WebRule.READS)) {
      throw new InvalidWebRuleException(
          rule,
          "has verify: true for the methods " + new TreeSet<>(rule.methods()),
          "Add GET or HEAD, whose answers show whether a key exists, or leave verify out");
    }
    this.refusal =
        guards.rejects(rule.filter()) == Reject.PRESENT ? Problem.REJECTED : Problem.ABSENT;
    if (rule.verify() && this.refusal == Problem.REJECTED) {
      throw new InvalidWebRuleException(
          rule,
          "has verify: true, but the filter '" + rule.filter() + "' is a blacklist",
          "Leave verify out: the handler's answer for a blacklisted key proves nothing");
    }
    this.beginning = beginning(pattern, parser);
    this.methods = rule.methods();
    this.variable = rule.key();
    this.type = rule.type();
    this.conversion = conversion;
    this.verify = rule.verify();
    String caller = "the web rule " + rule.pattern();
    String mismatch = guards.asked(rule.filter(), type.type(), caller);
    if (mismatch != null) {
      throw new InvalidWebRuleException(
          rule,
          "asks for keys that the filter cannot hold. " + mismatch,
          "Select the column in the source's query that holds the rule's keys");
    }
    ValueType<Object> untyped = ValueType.of(Object.class);
    this.guard = guards.guard(rule.filter(), rule.filter(), untyped, EntryPoint.WEB, caller);
  }

  private static Set<String> variables(WebRule rule) {
    return new UriTemplate(rule.pattern())
        .getVariableNames().stream()
            .map(name -> name.startsWith("*") ? name.substring(1) : name)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The path segments before the first that is not plain text; empty if that does not help. */
  private static String beginning(PathPattern pattern, PathPatternParser parser) {
    if (!parser.isCaseSensitive() || parser.getPathOptions() != PathContainer.Options.HTTP_PATH) {
      return "";
    }
    String text = pattern.getPatternString();
    int plain = 0;
    while (plain < text.length() && "{*?\\".indexOf(text.charAt(plain)) < 0) {
      plain++;
    }
    // Without the separator: the part behind it may match nothing, as in /api/{*rest}.
    return text.substring(0, Math.max(0, text.lastIndexOf('/', plain - 1)));
  }

  /**
   * False only if the rule's pattern cannot match a request of that URI, which rules out most
   * requests before a path is parsed. The path is a part of the URI, and in a URI without encoded
   * characters and parameters, plain text of the pattern matches only itself.
   */
  boolean mayMatch(String uri) {
    return uri.contains(beginning) || uri.indexOf('%') >= 0 || uri.indexOf(';') >= 0;
  }

  boolean judges(String method) {
    return methods.contains(method);
  }

  /** Whether some rejected keys go to the handler of a request with that method. */
  boolean verifies(String method) {
    return verify && WebRule.READS.contains(method);
  }

  /**
   * False if the path holds a key that the filter rejects.
   *
   * @param holds gets the place that the request needs, or the trial of a rejected key that passes
   * @param verifies whether a trial is allowed
   */
  boolean admits(PathContainer path, RequestHolds holds, boolean verifies) {
    PathPattern.PathMatchInfo match = pattern.matchAndExtract(path);
    if (match == null) {
      return true;
    }
    Object key = key(match.getUriVariables().get(variable));
    if (key == null) {
      return true;
    }
    return guard.admit(key, verifies ? (Consumer<Trial>) holds::add : null, holds::add);
  }

  /** The answer to a request that the rule does not admit. */
  Problem refusal() {
    return refusal;
  }

  private @Nullable Object key(@Nullable String value) {
    return value == null ? null : type.convert(value, conversion);
  }
}
