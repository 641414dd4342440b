package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.web.internal.Problem;
import io.bloomguard.web.internal.RuleRefusal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.web.util.pattern.PathPatternParser;

/** A web rule without a fault: the requests that it judges, their keys, and its filter's answer. */
final class CompiledRule {

  private final WebRule rule;
  private final RulePattern pattern;
  private final PatternPlaces places;
  private final boolean blacklist;
  private final EntryGuard<Object> guard;
  private final EntryGuards guards;
  private final ConversionService conversion;
  private final PathPatternParser parser;
  private volatile KeyReading reading;
  private volatile KeyReading scopeReading;
  private volatile boolean servedElsewhere;

  /** Those of handlers that take paths of the rule's pattern before the handlers of its keys. */
  private volatile List<MappedHandler> others = List.of();

  private CompiledRule(
      WebRule rule, EntryGuards guards, PathPatternParser parser, ConversionService conversion) {
    this.rule = rule;
    this.pattern = RuleFaults.pattern(rule, guards, parser);
    this.places = new PatternPlaces(pattern.text(), rule.key(), parser);
    this.blacklist = guards.rejects(rule.filter()) == Reject.PRESENT;
    this.guards = guards;
    this.parser = parser;
    this.conversion = conversion;
    KeyType type = rule.type();
    this.reading = read(TypeDescriptor.valueOf(type == null ? String.class : type.type()));
    this.scopeReading = read(TypeDescriptor.valueOf(String.class));
    if (type != null) {
      requireAskable(type.type());
    }
    ValueType<Object> untyped = ValueType.of(Object.class);
    this.guard = guards.guard(rule.filter(), rule.filter(), untyped, EntryPoint.WEB, caller());
  }

  /**
   * The rules of an application, in their order.
   *
   * @throws StartRefusedException for the first rule that could never apply as meant
   */
  static List<CompiledRule> all(
      List<WebRule> rules,
      EntryGuards guards,
      PathPatternParser parser,
      ConversionService conversion) {
    return rules.stream().map(one -> new CompiledRule(one, guards, parser, conversion)).toList();
  }

  private KeyReading read(TypeDescriptor argument) {
    return new KeyReading(argument, conversion);
  }

  private String caller() {
    return "the web rule " + rule.pattern();
  }

  private void requireAskable(Class<?> type) {
    String mismatch = guards.asked(rule.filter(), type, caller());
    rule.refuseIf(
        mismatch != null,
        "asks for keys that the filter cannot hold. " + mismatch,
        "Ask for the form that the column holds, or select the column in the source's query that"
            + " holds the rule's keys");
  }

  /**
   * Takes the types of the key and its scope from the handlers that serve the pattern.
   *
   * @param rules all rules of the filter
   * @throws StartRefusedException if a blacklist could be spelled around
   */
  void prepare(MappedHandlers mapped, List<CompiledRule> rules) {
    List<ServedKey> served = mapped.of(places, this::judges, conversion);
    RuleHandlers handlers = new RuleHandlers(rule, blacklist, served);
    servedElsewhere = served.isEmpty();
    if (blacklist) {
      handlers.requireWhole(mapped, this, rules);
    } else {
      others = mapped.others(places, this::judges);
    }
    handlers.requireOneSpelling(mapped.routed());
    TypeDescriptor argument = handlers.argument();
    if (argument != null) {
      reading = read(argument);
    }
    PatternPlaces scope = new PatternPlaces(pattern.text(), rule.scope(), parser);
    List<ServedKey> scopes = mapped.of(scope, this::judges, conversion);
    Set<Class<?>> kinds = ServedKey.kinds(scopes);
    if (kinds.size() == 1) {
      scopeReading = read(ServedKey.widest(scopes, kinds.iterator().next()));
    }
    if (rule.type() == null) {
      Class<?> kind = handlers.kind();
      requireAskable(kind == null ? String.class : kind);
    }
  }

  RulePattern pattern() {
    return pattern;
  }

  PatternPlaces places() {
    return places;
  }

  /** Whether requests of a handler's pattern that another rule would judge are judged by this. */
  boolean covers(WebRule other, String path, String variable) {
    return rule.filter().equals(other.filter())
        && (rule.methods().isEmpty() || rule.methods().equals(other.methods()))
        && places.covers(path)
        && variable.equals(places.variableOf(path));
  }

  /** Notes that another program serves the rule's requests. */
  void serveElsewhere() {
    servedElsewhere = true;
  }

  /** Whether no annotated handler serves the rule's requests, as far as it is known. */
  boolean isServedElsewhere() {
    return servedElsewhere;
  }

  /** Whether answers to its requests show whether their keys exist. */
  boolean isVerified() {
    return rule.verify();
  }

  boolean isBlacklist() {
    return blacklist;
  }

  /** Whether requests with that method are judged: those with HEAD are served as GET. */
  boolean judges(String method) {
    Set<String> methods = rule.methods();
    if (methods.isEmpty()) {
      return blacklist ? !method.equals("OPTIONS") : WebRule.READS.contains(method);
    }
    return methods.contains(method) || method.equals("HEAD") && methods.contains("GET");
  }

  /** The text of the key in one reading of a path; null if there is none. */
  @Nullable String variable(PathReading path, boolean isPlain) {
    return pattern.variables(path, isPlain).get(rule.key());
  }

  /**
   * The key in one reading of a request's path; null if what serves it takes none from it, or the
   * request goes to another handler, or has no scope.
   *
   * @param isPlain whether it is the plain reading
   */
  @Nullable Object key(AskedRequest request, PathReading path, boolean isPlain) {
    Map<String, String> variables = pattern.variables(path, isPlain);
    String text = variables.get(rule.key());
    Object key = text == null ? null : reading.read(text);
    return key == null || isOfAnother(request, path) ? null : scoped(key, variables, request);
  }

  private boolean isOfAnother(AskedRequest request, PathReading path) {
    for (MappedHandler other : others) {
      if (other.pattern().matches(path.parsed()) && other.takes().test(request)) {
        return true;
      }
    }
    return false;
  }

  /** The key with its scope, if it has one; null if the request does not tell it. */
  private @Nullable Object scoped(Object key, Map<String, String> variables, AskedRequest request) {
    if (rule.scope().isEmpty()) {
      return key;
    }
    String header = rule.scopeHeader();
    String text = header == null ? variables.get(rule.scope()) : request.header(header);
    if (text == null || text.isBlank()) {
      return null;
    }
    Object scope = header == null ? scopeReading.read(text) : text;
    return scope == null ? null : KeyScope.parts(scope, key);
  }

  /**
   * Asks the filter for a key.
   *
   * @param trial whether the answer to the request shows whether the key exists
   * @param holds gets what the request holds if it goes on; null for a decision alone
   * @return false if the key is rejected
   */
  boolean ask(Object key, boolean trial, @Nullable RequestHolds holds) {
    if (holds == null) {
      return guard.admit(key);
    }
    try (Scope placed = holds.enterPlace()) {
      return holds.add(guard.ask(question(key, trial)), rule);
    }
  }

  /** {@link #ask Asks} for a caller whose thread must not wait. */
  CompletableFuture<Boolean> askLater(Object key, boolean trial, RequestHolds holds) {
    try (Scope placed = holds.enterPlace()) {
      return holds.addLater(guard.askLater(question(key, trial)), rule);
    }
  }

  private Ask<Object> question(Object key, boolean trial) {
    Ask<Object> question = Ask.toPassOn(key);
    return rule.verify() && trial ? question.tried() : question;
  }

  /** Whether a request of which it is in doubt what it names is judged, and not refused. */
  boolean takesDoubt(PathReading plain) {
    return !pattern.begins(plain) || guard.admitUnclear();
  }

  /** Whether the absent key of a request in doubt passes. */
  boolean letsPass() {
    return !blacklist && guard.letPass();
  }

  /** The answer to a request that the rule does not admit. */
  RuleRefusal refusal() {
    return new RuleRefusal(blacklist ? Problem.REJECTED : Problem.ABSENT);
  }
}
