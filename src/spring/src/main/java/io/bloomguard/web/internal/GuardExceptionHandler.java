package io.bloomguard.web.internal;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.JournalFullException;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.SubjectsFullException;
import java.time.Duration;
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
    return unavailable(Problem.SHED, e.retryAfter());
  }

  /** Also for an exception of a transaction or of an entity's write that it caused. */
  @ExceptionHandler(AddFailedException.class)
  ProblemDetail addFailed() {
    return Problem.NOT_ADDED.detail();
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> journalFull(JournalFullException e) {
    return unavailable(Problem.NOT_ADDED, e.retryAfter());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> subjectsFull(SubjectsFullException e) {
    return unavailable(Problem.NOT_ADDED, e.retryAfter());
  }

  private static ResponseEntity<ProblemDetail> unavailable(Problem problem, Duration retryAfter) {
    return ResponseEntity.of(problem.detail())
        .header(HttpHeaders.RETRY_AFTER, Problem.seconds(retryAfter))
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
