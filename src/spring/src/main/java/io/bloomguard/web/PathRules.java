package io.bloomguard.web;

import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.web.internal.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Rules for requests that another program serves, judged by method and path alone: in the two
 * readings that {@link WebRules} describes. A rule reads its key as its type says, by default as
 * text.
 *
 * <p>A decision holds no place in the bulkhead, because the end of the request is not seen.
 */
public final class PathRules {

  private final WebRules<Asked> rules;

  /**
   * Rules in their order.
   *
   * @param rules the rules for the requests to check, none with {@code verify}
   * @param guards the guards that decide on keys
   * @param conversion the service that converts path variables
   * @throws InvalidWebRuleException for the first rule that could never apply as meant
   */
  public PathRules(List<WebRule> rules, EntryGuards guards, ConversionService conversion) {
    rules.forEach(rule -> requireDecidable(rule, guards));
    this.rules = new WebRules<>(rules, guards, new PathPatternParser(), conversion, new Reading());
    this.rules.serveElsewhere();
  }

  private static void requireDecidable(WebRule rule, EntryGuards guards) {
    if (rule.verify()) {
      throw new InvalidWebRuleException(
          rule,
          "has verify: true, but the answer to the request is not seen here",
          "Leave verify out; who sees a wrong rejection reports it to /v1/filters/{name}/found");
    }
    if (rule.scope().startsWith(WebRule.HEADER)) {
      throw new InvalidWebRuleException(
          rule, "takes its scope from a header, which is not seen here", "Name a variable");
    }
    if (rule.type() == null
        && guards.filters().contains(rule.filter())
        && guards.rejects(rule.filter()) == Reject.PRESENT) {
      throw new InvalidWebRuleException(
          rule,
          "is a blacklist's, and does not tell as what the program behind takes the key",
          "Set type to string, long or uuid, as that program takes it");
    }
  }

  /**
   * Judges a request.
   *
   * @param method the method, such as {@code GET}
   * @param path the path as it came, without a query, beginning with a slash
   * @return the answer in place of that of the program behind; null if the request passes
   */
  public @Nullable Refusal refusal(String method, String path) {
    try {
      Asked asked = new Asked(method, path);
      for (var question = rules.first(asked); question != null; question = question.next()) {
        if (!question.decide()) {
          return new Refusal(question.refusal());
        }
      }
      return null;
    } catch (RuntimeException e) {
      return Refusal.of(e);
    }
  }

  /** A request. */
  private record Asked(String method, String path) {}

  /** The requests of other programs. */
  private static final class Reading implements RequestReading<Asked> {

    @Override
    public String method(Asked request) {
      return request.method();
    }

    @Override
    public boolean isPreFlight(Asked request) {
      return false;
    }

    @Override
    public String uri(Asked request) {
      return request.path();
    }

    @Override
    public PathContainer path(Asked request) {
      return PathContainer.parsePath(request.path());
    }

    @Override
    public String unparsed(Asked request) {
      return request.path();
    }
  }
}
