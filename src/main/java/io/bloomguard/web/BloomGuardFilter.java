package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.RequestShedException;
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
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The servlet filter that answers requests for absent keys with 404 before a handler is called.
 *
 * <p>Paths are parsed, matched and decoded, and keys converted, by the same parts of Spring MVC
 * that serve the handler, so that both see the same key. What the handler would not take (another
 * path, a variable that does not convert) goes on to it unjudged. Of several rules that match a
 * request, each is asked, in their order, until one refuses.
 *
 * <p>What a client asks for is judged, once: forwards, includes, errors and the second half of
 * asynchronous requests pass.
 */
public final class BloomGuardFilter implements Filter {

  private final List<CompiledRule> rules;
  private final boolean verifies;

  /**
   * @param rules what is judged
   * @param parser the parser of the handler mapping's patterns
   * @param conversion the service that converts handler arguments
   * @throws InvalidWebRuleException for the first rule that could never apply as meant
   */
  public BloomGuardFilter(
      List<WebRule> rules,
      BloomGuards guards,
      PathPatternParser parser,
      ConversionService conversion) {
    this.rules =
        rules.stream().map(rule -> new CompiledRule(rule, guards, parser, conversion)).toList();
    this.verifies = rules.stream().anyMatch(WebRule::verify);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request instanceof HttpServletRequest asked
        && response instanceof HttpServletResponse answer
        && request.getDispatcherType() == DispatcherType.REQUEST) {
      judge(asked, answer, chain);
    } else {
      chain.doFilter(request, response);
    }
  }

  private void judge(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    WebTrials trials = verifies ? new WebTrials() : null;
    boolean admitted = false;
    try {
      admitted = admits(request, trials);
    } catch (RequestShedException e) {
      Problem.SHED.write(response, e.retryAfter());
      return;
    } catch (InvalidKeyException e) {
      Problem.INVALID.write(response);
      return;
    } finally {
      if (!admitted && trials != null) {
        trials.giveUp();
      }
    }
    if (!admitted) {
      Problem.ABSENT.write(response);
    } else if (trials == null || trials.none()) {
      chain.doFilter(request, response);
    } else {
      trials.call(request, response, chain);
    }
  }

  private boolean admits(HttpServletRequest request, @Nullable WebTrials trials) {
    String method = request.getMethod();
    PathContainer path = null;
    for (CompiledRule rule : rules) {
      if (rule.judges(method) && (path != null || rule.mayMatch(request.getRequestURI()))) {
        if (path == null) {
          path = path(request);
        }
        if (!rule.admits(path, rule.verifies(method) ? trials : null)) {
          return false;
        }
      }
    }
    return true;
  }

  private static PathContainer path(HttpServletRequest request) {
    try {
      return ServletRequestPathUtils.parse(request).pathWithinApplication();
    } catch (IllegalArgumentException e) {
      throw new InvalidKeyException("The path is not well-formed");
    }
  }
}
