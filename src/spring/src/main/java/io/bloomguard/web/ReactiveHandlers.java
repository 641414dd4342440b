package io.bloomguard.web;

import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ApplicationContext;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;
import org.springframework.web.reactive.handler.AbstractUrlHandlerMapping;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/** The handlers of WebFlux. */
final class ReactiveHandlers {

  private ReactiveHandlers() {}

  static MappedHandlers<ServerWebExchange> of(
      List<HandlerMapping> mappings, ApplicationContext context) {
    List<MappedHandler<ServerWebExchange>> mapped = new ArrayList<>();
    for (HandlerMapping mapping : mappings) {
      if (mapping instanceof RequestMappingInfoHandlerMapping methods) {
        int place = mappings.indexOf(mapping);
        boolean annotated = mapping instanceof RequestMappingHandlerMapping;
        methods
            .getHandlerMethods()
            .forEach(
                (info, handler) ->
                    info.getPatternsCondition()
                        .getPatterns()
                        .forEach(
                            pattern ->
                                mapped.add(
                                    new MappedHandler<>(
                                        place,
                                        annotated,
                                        info.getMethodsCondition().getMethods(),
                                        pattern,
                                        handler,
                                        exchange -> info.getMatchingCondition(exchange) != null))));
      }
    }
    return MappedHandlers.of(
        mapped,
        mappings.stream().anyMatch(ReactiveHandlers::routes),
        context,
        RequestMappingHandlerAdapter.class,
        RequestMappingHandlerAdapter::getWebBindingInitializer);
  }

  /** Whether a mapping finds handlers by other means than their methods, as a gateway's does. */
  private static boolean routes(HandlerMapping mapping) {
    return mapping instanceof RouterFunctionMapping functions
        ? functions.getRouterFunction() != null
        : !(mapping instanceof RequestMappingInfoHandlerMapping
            || mapping instanceof AbstractUrlHandlerMapping);
  }
}
