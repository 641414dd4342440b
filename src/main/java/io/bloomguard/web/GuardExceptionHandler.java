package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
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

  @ExceptionHandler
  ResponseEntity<ProblemDetail> shed(RequestShedException e) {
    return ResponseEntity.of(Problem.SHED.detail())
        .header(HttpHeaders.RETRY_AFTER, Problem.seconds(e.retryAfter()))
        .build();
  }

  @ExceptionHandler(InvalidKeyException.class)
  ProblemDetail invalid() {
    return Problem.INVALID.detail();
  }

  @ExceptionHandler(KeyAbsentException.class)
  ProblemDetail absent() {
    return Problem.ABSENT.detail();
  }

  @ExceptionHandler(KeyRejectedException.class)
  ProblemDetail rejected() {
    return Problem.REJECTED.detail();
  }
}
