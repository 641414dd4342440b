package io.bloomguard.web;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;
import org.springframework.web.reactive.handler.AbstractUrlHandlerMapping;
import org.springframework.web.reactive.result.method.RequestMappingInfo;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The handlers of WebFlux.
 *
 * @param mappings those of the context, in their order
 */
record ReactiveHandlers(List<HandlerMapping> mappings) {

  MappedHandlers in(ApplicationContext context) {
    return new MappedHandlers(
        IntStream.range(0, mappings.size()).boxed().flatMap(this::mapped).toList(),
        mappings.stream().anyMatch(ReactiveHandlers::routes),
        ControllerAdviceBean.findAnnotatedBeans(context),
        context.getBeanProvider(RequestMappingHandlerAdapter.class).stream()
            .map(RequestMappingHandlerAdapter::getWebBindingInitializer)
            .filter(Objects::nonNull)
            .toList());
  }

  /** Whether a mapping finds handlers by other means than their methods, as a gateway's does. */
  private static boolean routes(HandlerMapping mapping) {
    return mapping instanceof RouterFunctionMapping functions
        ? functions.getRouterFunction() != null
        : !(mapping instanceof RequestMappingInfoHandlerMapping
            || mapping instanceof AbstractUrlHandlerMapping);
  }

  private Stream<MappedHandler> mapped(int place) {
    return mappings.get(place) instanceof RequestMappingInfoHandlerMapping methods
        ? methods.getHandlerMethods().entrySet().stream()
            .flatMap(
                one -> {
                  RequestMappingInfo info = one.getKey();
                  return info.getPatternsCondition().getPatterns().stream()
                      .map(
                          pattern ->
                              new MappedHandler(
                                  place,
                                  methods instanceof RequestMappingHandlerMapping,
                                  info.getMethodsCondition().getMethods(),
                                  pattern,
                                  one.getValue(),
                                  request -> ((ReactiveAsked) request).isTakenBy(info)));
                })
        : Stream.empty();
  }

  /**
   * Writes the CORS headers of a refusal, if the request is of another origin: those of the handler
   * that it would have reached, whose mapping writes them when it finds the handler.
   *
   * @return false if WebFlux' configuration refuses the request, whose answer then has its status
   */
  Mono<Boolean> allow(ServerWebExchange exchange) {
    if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
      return Mono.just(true);
    }
    return Flux.fromIterable(mappings)
        .concatMap(mapping -> mapping.getHandler(exchange))
        .next()
        .onErrorComplete() // the request has no handler, and no configuration
        .then(Mono.fromSupplier(() -> !isRefused(exchange)));
  }

  /** Whether the processor has set the status of its refusal: servers begin with none, or 200. */
  private static boolean isRefused(ServerWebExchange exchange) {
    HttpStatusCode status = exchange.getResponse().getStatusCode();
    return status != null && status.isError();
  }
}
