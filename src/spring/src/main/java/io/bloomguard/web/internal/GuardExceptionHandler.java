package io.bloomguard.web.internal;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import io.bloomguard.guard.RequestShedException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * The handler that answers the guard's exceptions as problems (RFC 9457) without the key. It has
 * the lowest precedence, so that an application's own advice decides first.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
public final class GuardExceptionHandler {

  /** The one answer to each of these exceptions. */
  public GuardExceptionHandler() {}

  /** Also an exception of a transaction or of an entity's write that one of these has caused. */
  @ExceptionHandler({
    AddFailedException.class,
    InvalidKeyException.class,
    KeyAbsentException.class,
    KeyRejectedException.class,
    RequestShedException.class
  })
  ResponseEntity<ProblemDetail> answer(RuntimeException failure) {
    RuleRefusal refusal = RuleRefusal.of(failure);
    String later = refusal.retryAfterSeconds();
    ResponseEntity.HeadersBuilder<?> answer = ResponseEntity.of(refusal.problem().detail());
    return (later == null ? answer : answer.header(HttpHeaders.RETRY_AFTER, later)).build();
  }
}
