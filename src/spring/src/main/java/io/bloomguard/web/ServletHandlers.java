package io.bloomguard.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.context.ApplicationContext;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;

/** The handlers of Spring MVC. */
final class ServletHandlers {

  private ServletHandlers() {}

  static MappedHandlers of(List<HandlerMapping> mappings, ApplicationContext context) {
    List<MappedHandler> mapped = new ArrayList<>();
    for (int place = 0; place < mappings.size(); place++) {
      if (mappings.get(place) instanceof RequestMappingInfoHandlerMapping methods) {
        for (Map.Entry<RequestMappingInfo, HandlerMethod> one :
            methods.getHandlerMethods().entrySet()) {
          RequestMappingInfo info = one.getKey();
          for (PathPattern pattern : patterns(info)) {
            mapped.add(
                new MappedHandler(
                    place,
                    methods instanceof RequestMappingHandlerMapping,
                    info.getMethodsCondition().getMethods(),
                    pattern,
                    one.getValue(),
                    request -> ((ServletAsked) request).isTakenBy(info)));
          }
        }
      }
    }
    return MappedHandlers.of(
        mapped,
        mappings.stream()
            .anyMatch(
                mapping ->
                    mapping instanceof RouterFunctionMapping routes
                        && routes.getRouterFunction() != null),
        context,
        () ->
            context.getBeanProvider(RequestMappingHandlerAdapter.class).stream()
                .map(RequestMappingHandlerAdapter::getWebBindingInitializer));
  }

  private static Set<PathPattern> patterns(RequestMappingInfo info) {
    PathPatternsRequestCondition patterns = info.getPathPatternsCondition();
    return patterns == null ? Set.of() : patterns.getPatterns();
  }
}
