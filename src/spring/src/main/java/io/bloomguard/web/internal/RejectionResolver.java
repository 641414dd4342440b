package io.bloomguard.web.internal;

import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * The resolver that answers a key which a guarded method rejects, by the bytes of its {@link
 * Problem}: no exception handler is looked up or called, no content negotiated, nothing converted.
 *
 * <p>It stands right before Spring MVC's own resolvers, and answers only where these would leave
 * the exception to {@link GuardExceptionHandler} and write its answer as JSON. An application's own
 * handler of the exception, and whatever else of its own takes part in such an answer, keeps its
 * place: {@link AnswerWays} looks for them once for each class of handlers.
 */
public final class RejectionResolver implements HandlerExceptionResolver, Ordered {

  /** Right before Spring MVC's composite of resolvers, whose order is 0. */
  private static final int ORDER = -1;

  /** By the class of the exception; those above and below it are answered otherwise. */
  private final Map<Class<?>, Way> ways;

  /** A problem, and when it is written. */
  private record Way(Problem problem, AnswerWays answers) {}

  /**
   * A resolver for the handlers of a context.
   *
   * @param context the context of the handlers and their advice
   */
  public RejectionResolver(ApplicationContext context) {
    this.ways =
        Map.of(
            KeyAbsentException.class,
            new Way(Problem.ABSENT, new AnswerWays(context, this, new KeyAbsentException(""))),
            KeyRejectedException.class,
            new Way(Problem.REJECTED, new AnswerWays(context, this, new KeyRejectedException(""))));
  }

  @Override
  public int getOrder() {
    return ORDER;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception exception) {
    Way way = ways.get(exception.getClass());
    if (way == null
        || !(handler instanceof HandlerMethod method)
        || response.isCommitted()
        || !way.answers.writes(method.getBeanType(), request.getHeader(HttpHeaders.ACCEPT))) {
      return null;
    }
    try {
      ServletProblems.write(way.problem, response);
    } catch (IOException | IllegalStateException e) {
      // The client is gone, or the handler has taken the writer: Spring's resolvers know what then.
      return null;
    }
    return new ModelAndView();
  }
}
