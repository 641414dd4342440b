package io.bloomguard.server;

import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ClaimRefusedException;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.guard.SubjectException;
import io.bloomguard.guard.UnknownFilterException;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Answers the server's errors with RFC 9457 problems, those of Spring MVC among them. Refusals of
 * the library are such problems already.
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

  /** The obstacle to a removal passes within seconds, or with a rebuild. */
  private static final Duration RETRY_REMOVAL = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(Problems.class);

  /** A problem is sent as one even to a caller whose Accept excludes it, or is malformed. */
  @Override
  protected ResponseEntity<Object> createResponseEntity(
      @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
    HttpHeaders problem = HttpHeaders.copyOf(headers);
    problem.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    return super.createResponseEntity(body, problem, status, request);
  }

  @ExceptionHandler
  ProblemDetail unknownFilter(UnknownFilterException e) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, e.getMessage());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> addFailed(AddFailedException e) {
    return unavailable(
        e.reason() == AddFailedException.Reason.STORE
            ? "The keys could not be stored in the filter, so their rows must not be written now"
            : e.getMessage(),
        e.retryAfter());
  }

  private static ResponseEntity<ProblemDetail> unavailable(
      @Nullable String detail, @Nullable Duration retryAfter) {
    ResponseEntity.HeadersBuilder<?> answer =
        ResponseEntity.of(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail));
    return retryAfter == null
        ? answer.build()
        : answer
            .header(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, retryAfter.toSeconds())))
            .build();
  }

  @ExceptionHandler
  ProblemDetail subject(SubjectException e) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, e.getMessage());
  }

  @ExceptionHandler
  ProblemDetail claimRefused(ClaimRefusedException e) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, e.getMessage());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> removalFailed(RemovalFailedException e) {
    log.warn("Keys could not be removed: {}", e.getMessage());
    if (e.isRepeatable()) {
      return unavailable(
          "No key was removed, because the filter cannot tell at present where its keys are: try"
              + " again later. Until then the keys pass",
          RETRY_REMOVAL);
    }
    return ResponseEntity.of(
            ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE,
                "It is not known which of the keys were removed; those that were not pass until the"
                    + " next rebuild. Do not repeat the call: it would count twice"))
        .build();
  }

  /** The answer to calls without a handler, and to calls refused before Spring MVC. */
  @RestController
  static class Fallback implements ErrorController {

    @RequestMapping("${spring.web.error.path:${error.path:/error}}")
    ResponseEntity<ProblemDetail> error(HttpServletRequest request) {
      Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
      HttpStatus status = code instanceof Integer value ? HttpStatus.resolve(value) : null;
      ProblemDetail problem =
          ProblemDetail.forStatus(status == null ? HttpStatus.INTERNAL_SERVER_ERROR : status);
      return ResponseEntity.status(problem.getStatus())
          .contentType(MediaType.APPLICATION_PROBLEM_JSON)
          .body(problem);
    }
  }
}
