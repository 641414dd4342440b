package io.bloomguard.web;

import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.Reject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * A web rule without a fault: the requests that it judges, and their keys.
 *
 * @param key reads the key as the handlers do that serve the rule's requests
 * @param scope reads its scope as they do
 * @param isServedElsewhere whether no annotated handler serves them, as far as it is known
 * @param overriding the parameters of a request that its handlers may take in place of the key
 * @param others the handlers that take paths of the rule's pattern before those of its keys
 */
record CompiledRule(
    WebRule rule,
    RulePattern pattern,
    boolean isBlacklist,
    EntryGuards guards,
    EntryGuard<Object> guard,
    KeyReading key,
    KeyReading scope,
    boolean isServedElsewhere,
    Set<String> overriding,
    List<MappedHandler> others) {

  /**
   * The rules of an application, in their order.
   *
   * @param elsewhere whether another program serves their requests
   * @throws StartRefusedException for the first rule that could never apply as meant
   */
  static List<CompiledRule> all(
      List<WebRule> rules,
      EntryGuards guards,
      PathPatternParser parser,
      ConversionService conversion,
      boolean elsewhere) {
    List<CompiledRule> all = new ArrayList<>();
    for (WebRule rule : rules) {
      RulePattern pattern = RuleFaults.pattern(rule, guards, parser);
      Class<?> type = rule.type() == null ? String.class : rule.type().type();
      ValueType<Object> untyped = ValueType.of(Object.class);
      CompiledRule compiled =
          new CompiledRule(
              rule,
              pattern,
              guards.rejects(rule.filter()) == Reject.PRESENT,
              guards,
              guards.guard(rule.filter(), rule.filter(), untyped, EntryPoint.WEB, caller(rule)),
              new KeyReading(type, conversion),
              new KeyReading(String.class, conversion),
              elsewhere,
              Set.of(),
              List.of());
      if (rule.type() != null) {
        compiled.requireAskable(type);
      }
      all.add(compiled);
    }
    return List.copyOf(all);
  }

  private static String caller(WebRule rule) {
    return "the web rule " + rule.pattern();
  }

  private void requireAskable(Class<?> type) {
    String mismatch = guards.asked(rule.filter(), type, caller(rule));
    rule.refuseIf(
        mismatch != null,
        "asks for keys that the filter cannot hold. " + mismatch,
        "Ask for the form that the column holds, or select another column in the source's query");
  }

  /**
   * This rule, with the types of the key and its scope that the handlers have.
   *
   * @param rules all rules
   * @throws StartRefusedException if a blacklist could be spelled around
   */
  CompiledRule prepared(MappedHandlers mapped, List<CompiledRule> rules) {
    ServedKeys served = mapped.serving(this, rule.key());
    served.requireWhole(mapped, rules);
    served.requireOneSpelling(mapped.routed());
    if (rule.type() == null) {
      Class<?> kind = served.kind(null);
      requireAskable(kind == null ? String.class : kind);
    }
    return new CompiledRule(
        rule,
        pattern,
        isBlacklist,
        guards,
        guard,
        key.as(served.argument(rule.type())),
        scope.as(mapped.serving(this, rule.scope()).argument(null)),
        served.all().isEmpty(),
        served.all().isEmpty() ? Set.of(rule.key()) : served.overriding(),
        isBlacklist ? List.of() : mapped.others(this));
  }

  /** Whether requests of a handler's pattern that another rule would judge are judged by this. */
  boolean covers(WebRule other, String path, String variable) {
    PatternPlaces places = pattern.places(rule.key());
    return rule.filter().equals(other.filter())
        && (rule.methods().isEmpty() || rule.methods().equals(other.methods()))
        && places.covers(path)
        && variable.equals(places.variableOf(path));
  }

  /**
   * Whether requests with that method are judged: those with HEAD are served as GET, and by some
   * programs those with {@code get}.
   */
  boolean judges(String method) {
    Set<String> methods = rule.methods();
    String name = method.toUpperCase(Locale.ROOT);
    if (methods.isEmpty()) {
      return isBlacklist ? !method.equals("OPTIONS") : WebRule.READS.contains(name);
    }
    return methods.contains(name) || name.equals("HEAD") && methods.contains("GET");
  }

  /** Whether parameters of a request of this rule tell another text of the key than its path. */
  boolean isOverridden(AskedRequest request, PathReading path, boolean isPlain) {
    String text = overriding.isEmpty() ? null : text(path, isPlain);
    return text != null
        && overriding.stream()
            .flatMap(name -> request.parameters(name).stream())
            .anyMatch(value -> !value.equals(text));
  }

  /** The text of the key in one reading of a path; null if there is none. */
  @Nullable String text(PathReading path, boolean isPlain) {
    return pattern.variables(path, isPlain).get(rule.key());
  }

  /**
   * Whether the plain reading of a path has no key, or one whose text is that of its type, in any
   * case: {@code 7} and not {@code +7}, nor {@code 7 x}, of which a program may read the beginning.
   */
  boolean isWritten(PathReading plain) {
    String text = text(plain, true);
    Object read = text == null ? null : key.read(text);
    return text == null || read != null && text.equalsIgnoreCase(read.toString());
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
    Object read = text == null ? null : key.read(text);
    return read == null || isOfAnother(request, path) ? null : scoped(read, variables, request);
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
    Object read = header == null ? scope.read(text) : text;
    return read == null ? null : KeyScope.parts(read, key);
  }
}
