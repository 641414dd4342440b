package io.bloomguard.web.internal;

import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
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

  private final AnswerWays absent;
  private final AnswerWays rejected;

  /**
   * A resolver for the handlers of a context.
   *
   * @param context the context of the handlers and their advice
   */
  public RejectionResolver(ApplicationContext context) {
    this.absent = new AnswerWays(context, this, new KeyAbsentException(""));
    this.rejected = new AnswerWays(context, this, new KeyRejectedException(""));
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
    Class<?> thrown = exception.getClass();
    if (thrown == KeyAbsentException.class) {
      return answer(Problem.ABSENT, absent, request, response, handler);
    }
    return thrown == KeyRejectedException.class
        ? answer(Problem.REJECTED, rejected, request, response, handler)
        : null;
  }

  private static @Nullable ModelAndView answer(
      Problem problem,
      AnswerWays ways,
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler) {
    if (!(handler instanceof HandlerMethod method)
        || response.isCommitted()
        || !ways.of(method.getBeanType()).writes(request.getHeader(HttpHeaders.ACCEPT))) {
      return null;
    }
    try {
      ServletProblems.write(problem, response);
    } catch (IOException | IllegalStateException e) {
      // The client is gone, or the handler has taken the writer: Spring's resolvers know what then.
      return null;
    }
    return new ModelAndView();
  }
}
