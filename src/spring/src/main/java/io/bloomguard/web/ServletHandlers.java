package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContext;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The handlers of Spring MVC.
 *
 * @param mappings those of the context, in their order
 */
record ServletHandlers(List<HandlerMapping> mappings) {

  MappedHandlers in(ApplicationContext context) {
    return new MappedHandlers(
        IntStream.range(0, mappings.size()).boxed().flatMap(this::mapped).toList(),
        mappings.stream().anyMatch(ServletHandlers::routes),
        ControllerAdviceBean.findAnnotatedBeans(context),
        context.getBeanProvider(RequestMappingHandlerAdapter.class).stream()
            .map(RequestMappingHandlerAdapter::getWebBindingInitializer)
            .filter(Objects::nonNull)
            .toList());
  }

  private static boolean routes(HandlerMapping mapping) {
    return mapping instanceof RouterFunctionMapping routes && routes.getRouterFunction() != null;
  }

  private Stream<MappedHandler> mapped(int place) {
    return mappings.get(place) instanceof RequestMappingInfoHandlerMapping methods
        ? methods.getHandlerMethods().entrySet().stream()
            .flatMap(
                one -> {
                  RequestMappingInfo info = one.getKey();
                  return patterns(info).stream()
                      .map(
                          pattern ->
                              new MappedHandler(
                                  place,
                                  methods instanceof RequestMappingHandlerMapping,
                                  info.getMethodsCondition().getMethods(),
                                  pattern,
                                  one.getValue(),
                                  request -> ((ServletAsked) request).isTakenBy(info)));
                })
        : Stream.empty();
  }

  private static Set<PathPattern> patterns(RequestMappingInfo info) {
    PathPatternsRequestCondition patterns = info.getPathPatternsCondition();
    return patterns == null ? Set.of() : patterns.getPatterns();
  }

  /**
   * Writes the CORS headers of a refusal, if the request is of another origin: those of the handler
   * that it would have reached. Without them a browser shows a script another error.
   *
   * @return false if Spring MVC's configuration refuses the request, whose answer is then written
   */
  boolean allow(ServletAsked asked, HttpServletResponse response) throws IOException {
    if (!CorsUtils.isCorsRequest(asked.request())) {
      return true;
    }
    try (Scope parsed = asked.parsed()) {
      for (HandlerMapping mapping : mappings) {
        HandlerExecutionChain chain = mapping.getHandler(asked.request());
        if (chain != null) {
          return allows(asked, response, chain);
        }
      }
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      return true; // the request has no handler, and no configuration
    }
    return true;
  }

  /** As the interceptor says that Spring MVC adds to the handler's for CORS. */
  private static boolean allows(
      ServletAsked asked, HttpServletResponse response, HandlerExecutionChain chain)
      throws Exception {
    for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
      if (interceptor instanceof CorsConfigurationSource) {
        return interceptor.preHandle(asked.request(), response, chain.getHandler());
      }
    }
    return true;
  }
}
