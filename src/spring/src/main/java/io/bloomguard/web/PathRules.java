package io.bloomguard.web;

import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.web.internal.RuleRefusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Rules for requests that another program serves, judged by method and path alone: in the two
 * readings that {@link RequestCheck} describes. A rule reads its key as its type says, by default
 * as text.
 *
 * <p>A decision holds no place in the bulkhead, because the end of the request is not seen.
 */
public final class PathRules {

  private final List<CompiledRule> rules;

  /**
   * Rules in their order.
   *
   * @param rules the rules for the requests to check, none with {@code verify}
   * @param guards the guards that decide on keys
   * @param conversion the service that converts path variables
   * @throws StartRefusedException for the first rule that could never apply as meant
   */
  public PathRules(List<WebRule> rules, EntryGuards guards, ConversionService conversion) {
    rules.forEach(rule -> requireDecidable(rule, guards));
    this.rules = CompiledRule.all(rules, guards, new PathPatternParser(), conversion, true);
  }

  private static void requireDecidable(WebRule rule, EntryGuards guards) {
    rule.refuseIf(
        rule.verify(),
        "has verify: true, but the answer to the request is not seen here",
        "Leave verify out; who sees a wrong rejection reports it to /v1/filters/{name}/found");
    rule.refuseIf(
        rule.scopeHeader() != null,
        "takes its scope from a header, which is not seen here",
        "Name a variable");
    rule.refuseIf(
        rule.type() == null
            && guards.filters().contains(rule.filter())
            && guards.rejects(rule.filter()) == Reject.PRESENT,
        "is a blacklist's, and does not tell as what the program behind takes the key",
        "Set type to string, long or uuid, as that program takes it");
  }

  /**
   * Judges a request.
   *
   * @param method the method, such as {@code GET}
   * @param path the path as it came, without a query, beginning with a slash
   * @return the answer in place of that of the program behind; null if the request passes
   */
  public @Nullable RuleRefusal refusal(String method, String path) {
    return new RequestCheck(rules, new Asked(method, new PathReading(path))).refusal(null);
  }

  /** A request of another program. */
  private record Asked(String method, PathReading path) implements AskedRequest {}
}
