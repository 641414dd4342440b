package io.bloomguard.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.RequestPath;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.reactive.result.method.RequestMappingInfo;
import org.springframework.web.server.ServerWebExchange;

/** A request of WebFlux. */
record ReactiveAsked(ServerWebExchange exchange) implements AskedRequest {

  @Override
  public String method() {
    return exchange.getRequest().getMethod().name();
  }

  @Override
  public @Nullable String header(String name) {
    return exchange.getRequest().getHeaders().getFirst(name);
  }

  /** Those of the query: a form is read later. */
  @Override
  public List<String> parameters(String name) {
    return exchange.getRequest().getQueryParams().getOrDefault(name, List.of());
  }

  @Override
  public boolean isPreFlight() {
    return CorsUtils.isPreFlightRequest(exchange.getRequest());
  }

  @Override
  public PathReading path() {
    RequestPath path = exchange.getRequest().getPath();
    return new PathReading(path.value(), path::pathWithinApplication);
  }

  boolean isTakenBy(RequestMappingInfo mapping) {
    return mapping.getMatchingCondition(exchange) != null;
  }
}
