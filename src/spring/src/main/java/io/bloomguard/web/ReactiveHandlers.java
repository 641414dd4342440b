package io.bloomguard.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.context.ApplicationContext;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;
import org.springframework.web.reactive.handler.AbstractUrlHandlerMapping;
import org.springframework.web.reactive.result.method.RequestMappingInfo;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;

/** The handlers of WebFlux. */
final class ReactiveHandlers {

  private ReactiveHandlers() {}

  static MappedHandlers of(List<HandlerMapping> mappings, ApplicationContext context) {
    List<MappedHandler> mapped = new ArrayList<>();
    for (int place = 0; place < mappings.size(); place++) {
      if (mappings.get(place) instanceof RequestMappingInfoHandlerMapping methods) {
        for (Map.Entry<RequestMappingInfo, HandlerMethod> one :
            methods.getHandlerMethods().entrySet()) {
          RequestMappingInfo info = one.getKey();
          for (PathPattern pattern : info.getPatternsCondition().getPatterns()) {
            mapped.add(
                new MappedHandler(
                    place,
                    methods instanceof RequestMappingHandlerMapping,
                    info.getMethodsCondition().getMethods(),
                    pattern,
                    one.getValue(),
                    request -> ((ReactiveAsked) request).isTakenBy(info)));
          }
        }
      }
    }
    return MappedHandlers.of(
        mapped,
        mappings.stream().anyMatch(ReactiveHandlers::routes),
        context,
        () ->
            context.getBeanProvider(RequestMappingHandlerAdapter.class).stream()
                .map(RequestMappingHandlerAdapter::getWebBindingInitializer));
  }

  /** Whether a mapping finds handlers by other means than their methods, as a gateway's does. */
  private static boolean routes(HandlerMapping mapping) {
    return mapping instanceof RouterFunctionMapping functions
        ? functions.getRouterFunction() != null
        : !(mapping instanceof RequestMappingInfoHandlerMapping
            || mapping instanceof AbstractUrlHandlerMapping);
  }
}
