package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.FilterRefusal;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.web.internal.Problem;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * A web rule, checked and ready to match.
 *
 * @param <R> the requests of a web framework
 */
final class CompiledRule<R> {

  private static final Logger log = LoggerFactory.getLogger(CompiledRule.class);

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

  private final PathPattern pattern;

  /** The pattern without the slashes that no plain path has. */
  private final PathPattern plainPattern;

  private final String beginning;

  /** The pattern's text before its first variable. */
  private final String prefix;

  private final boolean caseSensitive;
  private final int slashes;
  private final int plainSlashes;
  private final WebRule rule;
  private final ConversionService conversion;
  private final PatternPlaces places;
  private final EntryGuard<Object> guard;
  private final Problem refusal;
  private final EntryGuards guards;
  private volatile KeyReading reading;
  private volatile boolean servedElsewhere;

  /** Those of handlers that take paths of the rule's pattern before the handlers of its keys. */
  private volatile List<MappedHandler<R>> others = List.of();

  CompiledRule(
      WebRule rule, EntryGuards guards, PathPatternParser parser, ConversionService conversion) {
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
    Set<String> variables = PatternPlaces.variables(pattern.getPatternString());
    if (!variables.contains(rule.key())) {
      throw new InvalidWebRuleException(
          rule,
          "names the key '" + rule.key() + "', which is no variable of the pattern",
          variables.isEmpty() ? "Put {" + rule.key() + "} into it" : "Name one of " + variables);
    }
    if (rule.verify()
        && !rule.methods().isEmpty()
        && Collections.disjoint(rule.methods(), WebRule.READS)) {
      throw new InvalidWebRuleException(
          rule,
          "has verify: true for the methods " + new TreeSet<>(rule.methods()),
          "Add GET or HEAD, whose answers show whether a key exists, or leave verify out");
    }
    requireTelling(rule);
    requireScope(rule, guards, variables);
    this.refusal =
        guards.rejects(rule.filter()) == Reject.PRESENT ? Problem.REJECTED : Problem.ABSENT;
    if (rule.verify() && this.refusal == Problem.REJECTED) {
      throw new InvalidWebRuleException(
          rule,
          "has verify: true, but the filter '" + rule.filter() + "' is a blacklist",
          "Leave verify out: the handler's answer for a blacklisted key proves nothing");
    }
    String plain = pattern.getPatternString().replaceAll("/{2,}", "/");
    this.plainPattern =
        parser.parse(plain.endsWith("/") ? plain.substring(0, plain.length() - 1) : plain);
    this.prefix = plainText(plainPattern.getPatternString());
    this.slashes = PatternPlaces.slashes(pattern.getPatternString());
    this.plainSlashes = PatternPlaces.slashes(plainPattern.getPatternString());
    this.caseSensitive = parser.isCaseSensitive();
    this.beginning = beginning(pattern, parser);
    this.rule = rule;
    this.places = new PatternPlaces(pattern.getPatternString(), rule.key(), parser);
    this.conversion = conversion;
    this.guards = guards;
    KeyType type = rule.type();
    this.reading =
        new KeyReading(
            TypeDescriptor.valueOf(type == null ? String.class : type.type()), conversion);
    if (type != null) {
      requireAskable(type.type());
    }
    ValueType<Object> untyped = ValueType.of(Object.class);
    this.guard = guards.guard(rule.filter(), rule.filter(), untyped, EntryPoint.WEB, caller());
  }

  /** Refuses statuses that tell nothing of a key, or that nothing would read. */
  private static void requireTelling(WebRule rule) {
    boolean told = rule.found().equals(WebRule.FOUND) && rule.absent().equals(WebRule.ABSENT);
    if (!told && !rule.verify()) {
      throw new InvalidWebRuleException(
          rule, "names statuses for its verification, which it has not", "Set verify: true");
    }
    boolean known =
        Stream.of(rule.found(), rule.absent())
            .allMatch(
                statuses ->
                    !statuses.isEmpty()
                        && statuses.stream().allMatch(status -> status >= 200 && status < 600));
    if (!known || !Collections.disjoint(rule.found(), rule.absent())) {
      throw new InvalidWebRuleException(
          rule,
          "has found: " + rule.found() + " and absent: " + rule.absent(),
          "Name statuses from 200 to 599, none of them in both");
    }
  }

  /**
   * Refuses a rule that judges before the scope of its filter's keys is known. Another spelling of
   * a scope proves nothing, and would pass a blacklist.
   */
  private static void requireScope(WebRule rule, EntryGuards guards, Set<String> variables) {
    boolean scoped = guards.scope(rule.filter()) != null;
    String filter = "the filter '" + rule.filter() + "'";
    if (scoped && (rule.verify() || guards.rejects(rule.filter()) == Reject.PRESENT)) {
      throw new InvalidWebRuleException(
          rule,
          "is a blacklist's or has verify: true, but the keys of "
              + filter
              + " have a scope, which a request may spell in several ways",
          "Leave verify out, and judge a blacklist's keys by @BloomGuarded on the method that gets"
              + " them");
    }
    if (scoped == rule.scope().isEmpty()) {
      throw new InvalidWebRuleException(
          rule,
          scoped
              ? "judges before the scope is known that the keys of " + filter + " have (keys.scope)"
              : "has the scope '" + rule.scope() + "', but the keys of " + filter + " have none",
          scoped ? "Set scope to a variable of the pattern, or to header:NAME" : "Leave it out");
    }
    if (scoped && !rule.scope().startsWith(WebRule.HEADER) && !variables.contains(rule.scope())) {
      throw new InvalidWebRuleException(
          rule,
          "has the scope '" + rule.scope() + "', which is no variable of the pattern",
          "Name one of " + variables + ", or header:NAME");
    }
  }

  private String caller() {
    return "the web rule " + rule.pattern();
  }

  private void requireAskable(Class<?> type) {
    String mismatch = guards.asked(rule.filter(), type, caller());
    if (mismatch != null) {
      throw new InvalidWebRuleException(
          rule,
          "asks for keys that the filter cannot hold. " + mismatch,
          "Ask for the form that the column holds, or select the column in the source's query that"
              + " holds the rule's keys");
    }
  }

  /**
   * Takes the key's type from the handlers that serve the pattern.
   *
   * @param rules all rules of the filter
   * @throws InvalidWebRuleException if a blacklist could be spelled around
   */
  void prepare(MappedHandlers<R> handlers, List<CompiledRule<R>> rules) {
    List<ServedKey> served = handlers.of(places, this::judges, conversion);
    servedElsewhere = served.isEmpty();
    if (refusal == Problem.REJECTED) {
      requireWhole(served, rules);
    } else {
      others = handlers.others(places, this::judges);
    }
    KeyType type = rule.type();
    Set<Class<?>> kinds = new LinkedHashSet<>();
    served.stream().map(ServedKey::kind).filter(Objects::nonNull).forEach(kinds::add);
    boolean known = kinds.size() == 1 && served.stream().allMatch(key -> key.kind() != null);
    Class<?> kind = type != null ? type.type() : kinds.size() == 1 ? kinds.iterator().next() : null;
    if (served.stream().anyMatch(ServedKey::several)) {
      doubt(
          "judges one key, but the path may hold several in {" + rule.key() + "}: " + served,
          "Let the handler take one, or judge the keys by @BloomGuarded on the method that gets"
              + " them");
    } else if (type != null && !kinds.isEmpty() && !kinds.contains(kind)) {
      doubt(
          "has type: "
              + type.name().toLowerCase(Locale.ROOT)
              + ", but of the key {"
              + rule.key()
              + "}: "
              + served,
          "Leave type out: the rule then reads the key as the handler does");
    } else if (type == null
        && (refusal == Problem.REJECTED ? !known : kind == null && !served.isEmpty())) {
      doubt(
          "cannot tell as what its handler takes the key {"
              + rule.key()
              + "}: "
              + (served.isEmpty() ? "no annotated handler serves the pattern" : served),
          "Set type to string, long or uuid, as the handler takes it");
    } else if (served.isEmpty() && !handlers.routed()) {
      log.warn(
          "{}",
          new InvalidWebRuleException(
                  rule,
                  "judges no request of an annotated handler, and there are no functional routes",
                  "Write the pattern as the handler does, without the context path and the path of"
                      + " Spring MVC's servlet")
              .getMessage());
    }
    if (kind != null && kinds.contains(kind)) {
      reading = new KeyReading(ServedKey.widest(served, kind), conversion);
    }
    if (type == null) {
      requireAskable(kind == null ? String.class : kind);
    }
  }

  /** Refuses a blacklist whose keys reach a handler by another of its paths. */
  private void requireWhole(List<ServedKey> served, List<CompiledRule<R>> rules) {
    for (ServedKey key : served) {
      if (key.kind() != String.class
          && !key.variable().isEmpty()
          && places.isNarrowerThan(key.pattern())) {
        throw new InvalidWebRuleException(
            rule,
            "is a blacklist's, and its expression leaves out spellings that the handler's pattern "
                + key.pattern()
                + " takes: "
                + key,
            "Write {" + rule.key() + "} without an expression, or the handler's");
      }
      for (String path : key.siblings()) {
        requireRule(rules, path, key.variable(), key);
      }
      if (!key.variable().isEmpty() && places.endsBefore(key.pattern())) {
        requireRule(rules, pattern.getPatternString() + "/**", rule.key(), key);
      }
    }
  }

  private void requireRule(
      List<CompiledRule<R>> rules, String path, String variable, ServedKey handler) {
    if (rules.stream().noneMatch(other -> other.covers(this, path, variable))) {
      throw new InvalidWebRuleException(
          rule,
          "is a blacklist's, but its handler also serves " + path + ": " + handler,
          "Add a rule with the pattern " + path + ", or let the handler have one pattern");
    }
  }

  /** Whether requests of a handler's pattern that another rule would judge are judged by this. */
  private boolean covers(CompiledRule<R> other, String path, String variable) {
    return rule.filter().equals(other.rule.filter())
        && (rule.methods().isEmpty() || rule.methods().equals(other.rule.methods()))
        && places.covers(path)
        && variable.equals(places.variableOf(path));
  }

  /** Refuses a blacklist whose keys another spelling may pass; warns of another filter's rule. */
  private void doubt(String problem, String action) {
    InvalidWebRuleException doubt = new InvalidWebRuleException(rule, problem, action);
    if (refusal == Problem.REJECTED) {
      throw doubt;
    }
    log.warn("{}. Spellings of a key that only the handler knows are rejected", doubt.getMessage());
  }

  /** The path segments before the first that is not plain text; empty if that does not help. */
  private static String beginning(PathPattern pattern, PathPatternParser parser) {
    if (!parser.isCaseSensitive() || parser.getPathOptions() != PathContainer.Options.HTTP_PATH) {
      return "";
    }
    // Without the separator: the part behind it may match nothing, as in /api/{*rest}.
    String text = plainText(pattern.getPatternString());
    return text.substring(0, Math.max(0, text.lastIndexOf('/')));
  }

  private static String plainText(String pattern) {
    int plain = 0;
    while (plain < pattern.length() && "{*?\\".indexOf(pattern.charAt(plain)) < 0) {
      plain++;
    }
    return pattern.substring(0, plain);
  }

  /**
   * False only if the rule's pattern cannot match a request of that URI, which rules out most
   * requests before a path is parsed. The path is a part of the URI, and in a URI without encoded
   * characters and parameters, plain text of the pattern matches only itself.
   */
  boolean mayMatch(String uri) {
    return uri.contains(beginning) || uri.indexOf('%') >= 0 || uri.indexOf(';') >= 0;
  }

  /** Whether requests with that method are judged: those with HEAD are served as GET. */
  boolean judges(String method) {
    Set<String> methods = rule.methods();
    if (methods.isEmpty()) {
      return refusal == Problem.REJECTED
          ? !method.equals("OPTIONS")
          : WebRule.READS.contains(method);
    }
    return methods.contains(method) || method.equals("HEAD") && methods.contains("GET");
  }

  /**
   * The key in the path; null if the handler gets none, or the request goes to another one, or has
   * no scope.
   */
  @Nullable Object key(R request, PathContainer path, RequestReading<R> requests) {
    PathPattern.PathMatchInfo match = pattern.matchAndExtract(path);
    if (match == null) {
      return null;
    }
    String variable = match.getUriVariables().get(rule.key());
    Object key = variable == null ? null : reading.read(variable);
    if (key == null || !others.isEmpty() && isOfAnother(request, path)) {
      return null;
    }
    return scoped(key, match.getUriVariables(), request, requests);
  }

  /** The key with its scope, if it has one; null if the request does not tell it. */
  private @Nullable Object scoped(
      Object key, Map<String, String> variables, R request, RequestReading<R> requests) {
    if (rule.scope().isEmpty()) {
      return key;
    }
    String scope =
        rule.scope().startsWith(WebRule.HEADER)
            ? requests.header(request, rule.scope().substring(WebRule.HEADER.length()))
            : variables.get(rule.scope());
    return scope == null || scope.isBlank() ? null : KeyScope.parts(scope, key);
  }

  /** Notes that another program serves the rule's requests. */
  void serveElsewhere() {
    servedElsewhere = true;
  }

  /** Whether no annotated handler serves the rule's requests, as far as it is known. */
  boolean isServedElsewhere() {
    return servedElsewhere;
  }

  /**
   * The text of the key in one reading of a path; null if there is none.
   *
   * @param plain whether it is the plain reading
   */
  @Nullable String variable(TwoReadings.Reading path, boolean plain) {
    return variables(path, plain).get(rule.key());
  }

  private Map<String, String> variables(TwoReadings.Reading path, boolean plain) {
    int expected = plain ? plainSlashes : slashes;
    if (expected >= 0 && expected != path.slashes() || !mayMatch(path.path())) {
      return Map.of();
    }
    PathPattern.PathMatchInfo match =
        (plain ? plainPattern : pattern).matchAndExtract(path.parsed());
    return match == null ? Map.of() : match.getUriVariables();
  }

  /** The key in one reading of a path; null if the program behind takes none from it. */
  @Nullable Object key(
      TwoReadings.Reading path, boolean plain, R request, RequestReading<R> requests) {
    Map<String, String> variables = variables(path, plain);
    String text = variables.get(rule.key());
    Object key = text == null ? null : reading.read(text);
    return key == null ? null : scoped(key, variables, request, requests);
  }

  /** Whether a plain path begins with the text of the pattern before its first variable. */
  boolean beginsAs(TwoReadings.Reading plain) {
    return plain.beginsWith(prefix, !caseSensitive);
  }

  /** Whether answers to its requests show whether their keys exist. */
  boolean isVerified() {
    return rule.verify();
  }

  boolean isBlacklist() {
    return refusal == Problem.REJECTED;
  }

  /** Whether a request of which it is in doubt what it names is judged, and not refused. */
  boolean takesDoubt(TwoReadings.Reading plain) {
    return !beginsAs(plain) || guard.admitUnclear();
  }

  /** Whether the absent key of a request in doubt passes. */
  boolean letsPass() {
    return !isBlacklist() && guard.letPass();
  }

  private boolean isOfAnother(R request, PathContainer path) {
    for (MappedHandler<R> other : others) {
      if (other.pattern().matches(path) && other.takes().test(request)) {
        return true;
      }
    }
    return false;
  }

  /** Asks the filter for a key: {@link WebRules.Question#ask}. */
  boolean asks(Object key, boolean trials, RequestHolds holds) {
    try (Scope placed = holds.enterPlace()) {
      return guard.admit(key, trials(trials, holds), holds::add);
    }
  }

  /** Asks for a decision alone: {@link WebRules.Question#decide}. */
  boolean decides(Object key) {
    return guard.admit(key);
  }

  CompletableFuture<Boolean> asksAsync(Object key, boolean trials, RequestHolds holds) {
    try (Scope placed = holds.enterPlace()) {
      return guard.admitAsync(key, trials(trials, holds), holds::add);
    }
  }

  /** Takes the trial of a rejected key; null where rejected keys are not tried. */
  private @Nullable Consumer<Trial> trials(boolean trials, RequestHolds holds) {
    return rule.verify() && trials ? trial -> holds.add(trial, rule) : null;
  }

  /** The answer to a request that the rule does not admit. */
  Problem refusal() {
    return refusal;
  }
}
