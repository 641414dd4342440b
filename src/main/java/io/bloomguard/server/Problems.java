package io.bloomguard.server;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.UnknownFilterException;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Answers every error with an RFC 9457 problem. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

  private static final Logger log = LoggerFactory.getLogger(Problems.class);

  @ExceptionHandler
  @Nullable ResponseEntity<Object> unknownFilter(UnknownFilterException e, WebRequest request) {
    return answer(e, HttpStatus.NOT_FOUND, e.getMessage(), new HttpHeaders(), request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> invalidKey(InvalidKeyException e, WebRequest request) {
    return answer(e, HttpStatus.BAD_REQUEST, e.getMessage(), new HttpHeaders(), request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> addFailed(AddFailedException e, WebRequest request) {
    log.warn("A key could not be added: {}", e.getMessage());
    return answer(
        e,
        HttpStatus.SERVICE_UNAVAILABLE,
        "The keys could not be stored in the filter; nothing may be written for them now",
        new HttpHeaders(),
        request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> shed(RequestShedException e, WebRequest request) {
    HttpHeaders headers = new HttpHeaders();
    long seconds = Math.max(1, e.retryAfter().plusMillis(999).toSeconds());
    headers.set(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
    return answer(e, HttpStatus.SERVICE_UNAVAILABLE, e.getMessage(), headers, request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> unexpected(RuntimeException e, WebRequest request) {
    log.error("A request failed", e);
    return answer(e, HttpStatus.INTERNAL_SERVER_ERROR, null, new HttpHeaders(), request);
  }

  private @Nullable ResponseEntity<Object> answer(
      Exception e,
      HttpStatus status,
      @Nullable String detail,
      HttpHeaders headers,
      WebRequest request) {
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
    return handleExceptionInternal(e, problem, headers, status, request);
  }

  /** Answers what was refused outside of Spring MVC, by a servlet filter for instance. */
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
