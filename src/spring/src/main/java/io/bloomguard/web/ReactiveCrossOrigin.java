package io.bloomguard.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The CORS headers of a refusal in WebFlux: those of the handler that the request would have
 * reached, whose mapping writes them when it finds the handler.
 */
final class ReactiveCrossOrigin {

  private ReactiveCrossOrigin() {}

  /**
   * Writes the headers of WebFlux' configuration, if the request is of another origin.
   *
   * @param mappings those of WebFlux, in their order
   * @return false if the configuration refuses the request, whose answer then has its status
   */
  static Mono<Boolean> allows(ServerWebExchange exchange, List<HandlerMapping> mappings) {
    if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
      return Mono.just(true);
    }
    return Flux.fromIterable(mappings)
        .concatMap(mapping -> mapping.getHandler(exchange))
        .next()
        .onErrorComplete() // the request has no handler, and no configuration
        .then(Mono.fromSupplier(() -> !isRefused(exchange.getResponse().getStatusCode())));
  }

  /** Whether the processor has set the status of its refusal: servers begin with none, or 200. */
  private static boolean isRefused(@Nullable HttpStatusCode status) {
    return status != null && status.isError();
  }
}
