package io.bloomguard.it.soak;

import io.bloomguard.guard.AddFailedException;
import java.util.concurrent.TimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Tells the failures that are expected from all others. */
@RestControllerAdvice
class Failures {

  @ExceptionHandler
  ProblemDetail addFailed(AddFailedException e) {
    return ProblemDetail.forStatus(HttpStatus.SERVICE_UNAVAILABLE);
  }

  @ExceptionHandler
  ProblemDetail tookTooLong(TimeoutException e) {
    return ProblemDetail.forStatus(HttpStatus.GATEWAY_TIMEOUT);
  }
}
