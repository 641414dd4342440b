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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.web.util.pattern.PathPatternParser;

/** A web rule without a fault: the requests that it judges, their keys, and its filter's answer. */
record CompiledRule(
    WebRule rule,
    RulePattern pattern,
    boolean isBlacklist,
    EntryGuards guards,
    EntryGuard<Object> guard,
    ConversionService conversion,
    PathPatternParser parser,
    AtomicReference<Serving> serving) {

  /**
   * What is known of the handlers that serve the rule's requests.
   *
   * @param key reads the key as they do
   * @param scope reads its scope as they do
   * @param isElsewhere whether no annotated handler serves the requests, as far as it is known
   * @param others the handlers that take paths of the rule's pattern before those of its keys
   */
  record Serving(
      KeyReading key, KeyReading scope, boolean isElsewhere, List<MappedHandler> others) {}

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
    return rules.stream().map(one -> of(one, guards, parser, conversion)).toList();
  }

  private static CompiledRule of(
      WebRule rule, EntryGuards guards, PathPatternParser parser, ConversionService conversion) {
    RulePattern pattern = RuleFaults.pattern(rule, guards, parser);
    boolean blacklist = guards.rejects(rule.filter()) == Reject.PRESENT;
    KeyReading text = new KeyReading(TypeDescriptor.valueOf(String.class), conversion);
    KeyType type = rule.type();
    KeyReading key =
        type == null ? text : new KeyReading(TypeDescriptor.valueOf(type.type()), conversion);
    if (type != null) {
      requireAskable(rule, guards, type.type());
    }
    ValueType<Object> untyped = ValueType.of(Object.class);
    EntryGuard<Object> guard =
        guards.guard(rule.filter(), rule.filter(), untyped, EntryPoint.WEB, caller(rule));
    return new CompiledRule(
        rule,
        pattern,
        blacklist,
        guards,
        guard,
        conversion,
        parser,
        new AtomicReference<>(new Serving(key, text, false, List.of())));
  }

  private static String caller(WebRule rule) {
    return "the web rule " + rule.pattern();
  }

  private static void requireAskable(WebRule rule, EntryGuards guards, Class<?> type) {
    String mismatch = guards.asked(rule.filter(), type, caller(rule));
    rule.refuseIf(
        mismatch != null,
        "asks for keys that the filter cannot hold. " + mismatch,
        "Ask for the form that the column holds, or select another column in the source's query");
  }

  /**
   * Takes the types of the key and its scope from the handlers that serve the pattern.
   *
   * @param rules all rules of the filter
   * @throws StartRefusedException if a blacklist could be spelled around
   */
  void prepare(MappedHandlers mapped, List<CompiledRule> rules) {
    PatternPlaces places = places(rule.key());
    List<ServedKey> served = mapped.of(places, this::judges, conversion);
    RuleHandlers handlers = new RuleHandlers(rule, isBlacklist, served);
    if (isBlacklist) {
      handlers.requireWhole(mapped, this, rules);
    }
    handlers.requireOneSpelling(mapped.routed());
    Serving before = serving.get();
    TypeDescriptor argument = handlers.argument();
    List<ServedKey> scopes = mapped.of(places(rule.scope()), this::judges, conversion);
    Set<Class<?>> kinds = ServedKey.kinds(scopes);
    serving.set(
        new Serving(
            argument == null ? before.key : new KeyReading(argument, conversion),
            kinds.size() == 1
                ? new KeyReading(ServedKey.widest(scopes, kinds.iterator().next()), conversion)
                : before.scope,
            served.isEmpty(),
            isBlacklist ? List.of() : mapped.others(places, this::judges)));
    if (rule.type() == null) {
      Class<?> kind = handlers.kind();
      requireAskable(rule, guards, kind == null ? String.class : kind);
    }
  }

  /** The segments of the pattern, with the place of one of its variables. */
  private PatternPlaces places(String variable) {
    return new PatternPlaces(pattern.text(), variable, parser);
  }

  /** Those with the place of the key. */
  PatternPlaces places() {
    return places(rule.key());
  }

  /** Whether requests of a handler's pattern that another rule would judge are judged by this. */
  boolean covers(WebRule other, String path, String variable) {
    return rule.filter().equals(other.filter())
        && (rule.methods().isEmpty() || rule.methods().equals(other.methods()))
        && places().covers(path)
        && variable.equals(places().variableOf(path));
  }

  /** Notes that another program serves the rule's requests. */
  void serveElsewhere() {
    serving.updateAndGet(now -> new Serving(now.key, now.scope, true, now.others));
  }

  /** Whether no annotated handler serves the rule's requests, as far as it is known. */
  boolean isServedElsewhere() {
    return serving.get().isElsewhere;
  }

  /** Whether requests with that method are judged: those with HEAD are served as GET. */
  boolean judges(String method) {
    Set<String> methods = rule.methods();
    if (methods.isEmpty()) {
      return isBlacklist ? !method.equals("OPTIONS") : WebRule.READS.contains(method);
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
    Object key = text == null ? null : serving.get().key.read(text);
    return key == null || isOfAnother(request, path) ? null : scoped(key, variables, request);
  }

  private boolean isOfAnother(AskedRequest request, PathReading path) {
    for (MappedHandler other : serving.get().others) {
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
    Object scope = header == null ? serving.get().scope.read(text) : text;
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
    return !isBlacklist && guard.letPass();
  }

  /** The answer to a request that the rule does not admit. */
  RuleRefusal refusal() {
    return new RuleRefusal(isBlacklist ? Problem.REJECTED : Problem.ABSENT);
  }
}
