package io.bloomguard.web;

import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.internal.RuleRefusal;
import io.bloomguard.web.internal.ServletProblems;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.context.ApplicationContext;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The web filter of servlets that answers requests for absent keys with 404, and for blacklisted
 * ones with 403, before a handler is called.
 *
 * <p>Paths are parsed, matched and decoded, and keys converted, by the same parts of Spring MVC
 * that serve the handler, so that both see the same key. A request that the handler would not take
 * (another path, a variable that does not convert) passes without a check, and so does one that
 * Spring MVC gives to another annotated handler, unless the filter is a blacklist. If several rules
 * match a request, each checks it, in their order, until one refuses.
 *
 * <p>Rules that no annotated handler serves read a path in two ways, as {@link PathRules} do.
 *
 * <p>A client's request is checked once: forwards, includes, errors and the second half of
 * asynchronous requests pass. A request for which a filter cannot tell holds a place in the
 * bulkhead until it is complete; for the place to count after an asynchronous dispatch, the servlet
 * filter must be mapped to such dispatches as well.
 */
public final class BloomGuardFilter implements Filter {

  private volatile List<CompiledRule> rules;
  private volatile ServletHandlers handlers = new ServletHandlers(List.of());

  /**
   * A web filter for the requests that rules name.
   *
   * @param rules the rules for the requests to check
   * @param guards the guards that decide on keys
   * @param parser the parser of the handler mapping's patterns
   * @param conversion the service that converts handler arguments
   * @throws StartRefusedException for the first rule that could never apply as meant
   */
  public BloomGuardFilter(
      List<WebRule> rules,
      EntryGuards guards,
      PathPatternParser parser,
      ConversionService conversion) {
    this.rules = CompiledRule.all(rules, guards, parser, conversion, false);
  }

  /**
   * Takes the types of keys, and what CORS allows, from the handlers of a context.
   *
   * @param context the context of Spring MVC, whose handlers are known
   * @throws StartRefusedException for the first rule of a blacklist that could be spelled around,
   *     because the type to which its handler converts the key is another one or not known, or
   *     because its handler has paths that no rule covers
   */
  public void prepare(ApplicationContext context) {
    handlers = new ServletHandlers(MappedHandlers.mappings(HandlerMapping.class, context));
    MappedHandlers mapped = handlers.in(context);
    rules = rules.stream().map(rule -> rule.prepared(mapped, rules)).toList();
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request instanceof HttpServletRequest asked
        && response instanceof HttpServletResponse answer
        && request.getDispatcherType() == DispatcherType.REQUEST) {
      judge(asked, answer, chain);
    } else {
      ServletHandlerCall.resume(request, response, chain);
    }
  }

  private void judge(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    ServletAsked asked = new ServletAsked(request);
    RequestHolds holds = new RequestHolds();
    boolean later = false;
    try {
      RuleRefusal refusal = new RequestCheck(rules, asked).refusal(holds);
      if (refusal == null) {
        later = ServletHandlerCall.call(holds, request, response, chain);
        return;
      }
      holds.giveUp();
      if (handlers.allow(asked, response)) {
        ServletProblems.write(refusal, response);
      }
    } finally {
      if (!later) {
        holds.giveUp();
      }
    }
  }
}
