package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.BloomGuard.Foresight;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Trial;
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
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The servlet filter that rejects keys for guarded handler methods, so that a rejection costs no
 * call of the handler. It must be the last filter of the chain: whatever else may refuse the
 * request decides before.
 *
 * <p>It looks for an absent key by the patterns of these methods. If there is one, it has the
 * dispatcher servlet's own mappings find the handler; only if that is the method, and nothing of
 * the application stands before its call, the answer is the one that the method's exception would
 * get. Otherwise the request goes on, and the method decides as if there were no filter: it counts,
 * and it begins the trial that this filter may have found to be due. Where the filter's bits are in
 * Redis, the handler is found first, so that only its requests are checked, and a key that passes
 * is not checked again by the method.
 */
public final class HandlerGuardFilter implements Filter {

  private final ApplicationContext context;
  private final HandlerLookup.Finder lookups;
  private final Supplier<? extends @Nullable BloomGuards> guards;
  private final Supplier<@Nullable RejectionResolver> resolver;
  private final Supplier<@Nullable DispatcherServlet> dispatcher;
  private volatile @Nullable List<HandlerRule> rules;
  private volatile @Nullable RejectionResolver answers;
  private volatile @Nullable DispatcherServlet servlet;

  /**
   * A filter that finds its lookups once the application has started.
   *
   * @param context the context of the handlers
   * @param lookups tells which handler methods are guarded lookups
   * @param guards called when the application has started, as the next two
   * @param resolver the answer to exceptions; null if they are answered in another way
   * @param dispatcher the servlet of the handlers; null if there is not exactly one
   */
  public HandlerGuardFilter(
      ApplicationContext context,
      HandlerLookup.Finder lookups,
      Supplier<? extends @Nullable BloomGuards> guards,
      Supplier<@Nullable RejectionResolver> resolver,
      Supplier<@Nullable DispatcherServlet> dispatcher) {
    this.context = context;
    this.lookups = lookups;
    this.guards = guards;
    this.resolver = resolver;
    this.dispatcher = dispatcher;
  }

  /** Finds the handlers; without this call, the first request does. */
  public void prepare() {
    BloomGuards known = guards.get();
    answers = resolver.get();
    servlet = dispatcher.get();
    RejectionResolver answering = answers;
    rules =
        known == null || answering == null || servlet == null
            ? List.of()
            : HandlerRules.find(context, lookups, known, answering);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request instanceof HttpServletRequest asked
        && response instanceof HttpServletResponse answer
        && request.getDispatcherType() == DispatcherType.REQUEST
        && !prepared().isEmpty()
        && WebRule.READS.contains(asked.getMethod())) {
      Foresight foresight = foresight(asked);
      if (foresight != null) {
        end(foresight, asked, answer, chain);
        return;
      }
    }
    chain.doFilter(request, response);
  }

  private List<HandlerRule> prepared() {
    List<HandlerRule> known = rules;
    if (known == null) {
      prepare();
      known = rules;
    }
    return known == null ? List.of() : known;
  }

  private static void end(
      Foresight foresight,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws ServletException, IOException {
    Trial.Scope scope = foresight.reject();
    if (scope == null) {
      Problem.ABSENT.write(response);
      return;
    }
    try (scope) {
      chain.doFilter(request, response);
    }
  }

  /** What is known of the request's key, if a handler would throw for an absent one. */
  private @Nullable Foresight foresight(HttpServletRequest request) {
    PathContainer path = null;
    for (HandlerRule rule : prepared()) {
      if (path != null || rule.mayMatch(request.getRequestURI())) {
        path = path == null ? path(request) : path;
        Foresight foresight = path == null ? null : foresight(rule, path, request);
        if (foresight != null) {
          return foresight;
        }
      }
    }
    return null;
  }

  private @Nullable Foresight foresight(
      HandlerRule rule, PathContainer path, HttpServletRequest request) {
    Map<String, String> variables = rule.match(path);
    String text = variables == null ? null : rule.key().text(request, variables);
    Object key = text == null ? null : rule.key().convert(text);
    if (text == null || key == null) {
      return null;
    }
    try {
      return rule.guard().foresee(key, () -> isHandled(rule, text, request));
    } catch (InvalidKeyException e) {
      return null; // the method meets it, too, and counts it
    }
  }

  private static @Nullable PathContainer path(HttpServletRequest request) {
    try {
      return ServletRequestPathUtils.parse(request).pathWithinApplication();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether Spring MVC would call the rule's handler with that key, and answer its exception. */
  private boolean isHandled(HandlerRule rule, String text, HttpServletRequest request) {
    DispatcherServlet called = servlet;
    List<HandlerMapping> mappings = called == null ? null : called.getHandlerMappings();
    if (called == null
        || mappings == null
        || !request.getHttpServletMapping().getServletName().equals(called.getServletName())) {
      return false;
    }
    Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
    try {
      ServletRequestPathUtils.parseAndCache(request);
      HandlerExecutionChain chain = handler(mappings, request);
      return chain != null
          && chain.getHandler() instanceof HandlerMethod handler
          && rule.isOf(handler)
          && text.equals(rule.key().text(request, variables(request)))
          && isAnswered(handler, request)
          && isDirect(rule, chain);
    } catch (Exception e) {
      return false; // the servlet will meet it, too, and answer it
    } finally {
      ServletRequestPathUtils.setParsedRequestPath((RequestPath) before, request);
    }
  }

  private static @Nullable HandlerExecutionChain handler(
      List<HandlerMapping> mappings, HttpServletRequest request) throws Exception {
    for (HandlerMapping mapping : mappings) {
      HandlerExecutionChain chain = mapping.getHandler(request);
      if (chain != null) {
        return chain;
      }
    }
    return null;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, String> variables(HttpServletRequest request) {
    Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    return variables == null ? Map.of() : (Map<String, String>) variables;
  }

  private boolean isAnswered(HandlerMethod handler, HttpServletRequest request) {
    RejectionResolver answering = answers;
    return answering != null && answering.answersAbsent(handler, request);
  }

  /** Whether no interceptor of the application, and none for CORS, is before the handler. */
  private static boolean isDirect(HandlerRule rule, HandlerExecutionChain chain) {
    for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
      if (!HarmlessInterceptors.contain(interceptor)) {
        String name = HarmlessInterceptors.adapted(interceptor).getClass().getName();
        rule.leave("the interceptor " + name + " is before it");
        return false;
      }
    }
    return true;
  }
}
