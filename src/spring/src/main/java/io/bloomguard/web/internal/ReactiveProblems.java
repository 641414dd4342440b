package io.bloomguard.web.internal;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/** The bytes of problems as the answers of WebFlux. */
public final class ReactiveProblems {

  private ReactiveProblems() {}

  /**
   * {@return the writing of the answer in place of the handler's}
   *
   * @param refusal the answer
   * @param response the response, to which nothing is written yet
   */
  public static Mono<Void> write(RuleRefusal refusal, ServerHttpResponse response) {
    Problem problem = refusal.problem();
    HttpHeaders headers = response.getHeaders();
    String later = refusal.retryAfterSeconds();
    if (later != null) {
      headers.set(HttpHeaders.RETRY_AFTER, later);
    }
    response.setStatusCode(problem.status());
    headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    headers.setContentLength(problem.body().length);
    return response.writeWith(
        Mono.fromSupplier(() -> response.bufferFactory().wrap(problem.body())));
  }
}
