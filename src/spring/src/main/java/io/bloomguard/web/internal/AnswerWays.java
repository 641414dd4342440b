package io.bloomguard.web.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** The way in which one exception is answered, by the class of the handler that threw it. */
final class AnswerWays {

  private static final Set<String> JSON =
      Set.of(
          MediaType.ALL_VALUE,
          MediaType.APPLICATION_JSON_VALUE,
          MediaType.APPLICATION_PROBLEM_JSON_VALUE);

  /** By Spring's resolvers, because a part of the application has a say in it. */
  private static final Predicate<@Nullable String> RESOLVED = accept -> false;

  /** As JSON to requests that accept everything or JSON alone, else by Spring's resolvers. */
  private static final Predicate<@Nullable String> WRITTEN_IF_ACCEPTED =
      accept -> accept == null || JSON.contains(accept);

  /** As JSON, whatever the request accepts. */
  private static final Predicate<@Nullable String> WRITTEN = accept -> true;

  private final ApplicationContext context;
  private final HandlerExceptionResolver own;
  private final Exception exception;

  /** One entry for each class that has thrown the exception. */
  private final ClassValue<Predicate<@Nullable String>> ways =
      new ClassValue<>() {
        @Override
        protected Predicate<@Nullable String> computeValue(Class<?> handler) {
          return way(handler);
        }
      };

  /**
   * @param own the resolver that writes, as a bean of that context
   * @param exception an instance of the exception
   */
  AnswerWays(ApplicationContext context, HandlerExceptionResolver own, Exception exception) {
    this.context = context;
    this.own = own;
    this.exception = exception;
  }

  /** Whether the problem is written, without Spring, to a request with that {@code Accept}. */
  boolean writes(Class<?> handler, @Nullable String accept) {
    return ways.get(handler).test(accept);
  }

  private Predicate<@Nullable String> way(Class<?> handler) {
    ExceptionHandlerExceptionResolver spring = next();
    if (spring == null
        || Proxy.isProxyClass(handler)
        || new ExceptionHandlerMethodResolver(handler).resolveMethodByThrowable(exception)
            != null) {
      return RESOLVED;
    }
    Class<?> answering =
        spring.getExceptionHandlerAdviceCache().entrySet().stream()
            .filter(advice -> advice.getKey().isApplicableToBeanType(handler))
            .map(advice -> advice.getValue().resolveMethodByThrowable(exception))
            .filter(Objects::nonNull)
            .findFirst()
            .<Class<?>>map(Method::getDeclaringClass)
            .orElse(null);
    if (answering != GuardExceptionHandler.class
        || !spring.getErrorResponseInterceptors().isEmpty()
        || isAdvised()) {
      return RESOLVED;
    }
    if (spring.getMessageConverters().stream().allMatch(AnswerWays::writesOnlyJson)) {
      return WRITTEN;
    }
    boolean byHeader =
        spring.getContentNegotiationManager().getStrategies().stream()
            .allMatch(strategy -> strategy.getClass() == HeaderContentNegotiationStrategy.class);
    return byHeader ? WRITTEN_IF_ACCEPTED : RESOLVED;
  }

  /**
   * Spring's resolver by {@code @ExceptionHandler} methods, if it is the next after ours; null if
   * another one would decide first.
   */
  private @Nullable ExceptionHandlerExceptionResolver next() {
    List<HandlerExceptionResolver> resolvers =
        context.getBeanProvider(HandlerExceptionResolver.class, false).stream()
            .sorted(AnnotationAwareOrderComparator.INSTANCE)
            .toList();
    int next = resolvers.indexOf(own) + 1;
    if (next == 0 || next == resolvers.size()) {
      return null;
    }
    HandlerExceptionResolver first = resolvers.get(next);
    if (first instanceof HandlerExceptionResolverComposite composite
        && !composite.getExceptionResolvers().isEmpty()) {
      first = composite.getExceptionResolvers().get(0);
    }
    return first.getClass() == ExceptionHandlerExceptionResolver.class
        ? (ExceptionHandlerExceptionResolver) first
        : null;
  }

  /** Whether an advice may change the bodies of our answers. */
  private boolean isAdvised() {
    return ControllerAdviceBean.findAnnotatedBeans(context).stream()
        .anyMatch(
            advice ->
                advice.getBeanType() == null
                    || ResponseBodyAdvice.class.isAssignableFrom(advice.getBeanType())
                        && advice.isApplicableToBeanType(GuardExceptionHandler.class));
  }

  private static boolean writesOnlyJson(HttpMessageConverter<?> converter) {
    return !converter.canWrite(ProblemDetail.class, null)
        || converter.getSupportedMediaTypes(ProblemDetail.class).stream()
            .allMatch(AnswerWays::isJson);
  }

  private static boolean isJson(MediaType type) {
    return type.getSubtype().equals("json") || type.getSubtype().endsWith("+json");
  }
}
