package io.bloomguard.web.internal;

import io.bloomguard.guard.AnswerType;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Findings;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.client.RestClientResponseException;

/**
 * The answers of Spring's handler methods, read by their status and body: 404 and 410 are nothing,
 * 2xx with a body is a value, 2xx without one may be either, and each other status says something
 * else.
 */
public final class HttpAnswers {

  private static final ResponseEntity<?> NOT_FOUND = ResponseEntity.notFound().build();

  private HttpAnswers() {}

  /** {@return the types of answers, as the first that fits reads one} */
  public static List<AnswerType<?>> all() {
    return List.of(
        new Entities(),
        AnswerType.of(
            ProblemDetail.class,
            problem -> of(HttpStatusCode.valueOf(problem.getStatus()), problem),
            () -> ProblemDetail.forStatus(HttpStatus.NOT_FOUND)),
        AnswerType.of(ErrorResponse.class, error -> of(error.getStatusCode(), error), () -> null),
        AnswerType.of(Throwable.class, HttpAnswers::ofFailure, () -> null));
  }

  /** {@code ResponseEntity}, and {@code HttpEntity}, which has status 200. */
  private static final class Entities implements AnswerType<HttpEntity<?>> {

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"}) // a class has no type arguments
    public Class<HttpEntity<?>> type() {
      return (Class) HttpEntity.class;
    }

    @Override
    public Finding read(HttpEntity<?> answer) {
      return of(
          answer instanceof ResponseEntity<?> response ? response.getStatusCode() : HttpStatus.OK,
          answer.getBody());
    }

    @Override
    public @Nullable Object content(HttpEntity<?> answer) {
      return answer.getBody();
    }

    @Override
    public HttpEntity<?> absent() {
      return NOT_FOUND;
    }

    @Override
    public boolean ofOneRequest() {
      return true;
    }
  }

  /**
   * What an exception with a status of its own, of {@link ResponseStatus}, or of a remote shows.
   */
  private static Finding ofFailure(Throwable failure) {
    HttpStatusCode status =
        failure instanceof RestClientResponseException answered
            ? answered.getStatusCode()
            : status(failure);
    return status == null ? Finding.OTHER : of(status, failure);
  }

  /**
   * {@return the status with which Spring answers an exception by itself; null if there is none}
   *
   * @param failure the exception
   */
  public static @Nullable HttpStatusCode status(Throwable failure) {
    if (failure instanceof ErrorResponse error) {
      return error.getStatusCode();
    }
    ResponseStatus status =
        AnnotatedElementUtils.findMergedAnnotation(failure.getClass(), ResponseStatus.class);
    return status == null ? null : status.code();
  }

  /**
   * What a status and a body show of a key.
   *
   * @param body null for none
   */
  static Finding of(HttpStatusCode status, @Nullable Object body) {
    if (status.is2xxSuccessful()) {
      return body == null || Findings.isEmpty(body) ? Finding.UNCLEAR : Finding.VALUE;
    }
    return status.value() == HttpStatus.NOT_FOUND.value()
            || status.value() == HttpStatus.GONE.value()
        ? Finding.NOTHING
        : Finding.OTHER;
  }
}
