package io.bloomguard.server;

import io.bloomguard.web.internal.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * The answers to a proxy's question. They name neither key nor path, so their bytes are made once.
 */
enum AuthoriseAnswer {
  ALLOWED(HttpStatus.NO_CONTENT, null),
  ABSENT(HttpStatus.NOT_FOUND, Problem.ABSENT.text()),
  ABSENT_403(HttpStatus.FORBIDDEN, Problem.ABSENT.text()),
  REJECTED(HttpStatus.FORBIDDEN, Problem.REJECTED.text()),
  INVALID(HttpStatus.NOT_FOUND, Problem.INVALID.text()),
  INVALID_403(HttpStatus.FORBIDDEN, Problem.INVALID.text()),
  SHED(HttpStatus.FORBIDDEN, Problem.SHED.text()),
  UNTRUSTED(
      HttpStatus.BAD_REQUEST,
      "The headers that name a request are believed from this machine and"
          + " bloomguard.gateway.trusted-peers alone."),
  UNNAMED(
      HttpStatus.BAD_REQUEST,
      "The call names no request: its path has to follow /v1/authorise, or stand in X-Original-URI"
          + " or X-Forwarded-Uri, beside X-Original-Method or X-Forwarded-Method."),
  AMBIGUOUS(
      HttpStatus.BAD_REQUEST,
      "The call names more than one request: a header comes twice, or X-Original-URI beside"
          + " X-Forwarded-Uri.");

  private final HttpStatus status;

  @SuppressWarnings("ImmutableEnumChecker") // never written to
  private final byte[] body;

  AuthoriseAnswer(HttpStatus status, @Nullable String detail) {
    this.status = status;
    this.body = detail == null ? new byte[0] : Problem.body(status, detail);
  }

  /**
   * The answer where a rule does not let a request pass. It is never 5xx, which is that of a server
   * that is away: proxies let the requests pass then.
   *
   * @param absent the status for a key that cannot exist
   */
  static AuthoriseAnswer of(Problem problem, int absent) {
    boolean forbidden = absent == HttpStatus.FORBIDDEN.value();
    return switch (problem) {
      case ABSENT -> forbidden ? ABSENT_403 : ABSENT;
      case REJECTED -> REJECTED;
      case INVALID -> forbidden ? INVALID_403 : INVALID;
      case SHED, NOT_ADDED -> SHED;
    };
  }

  void write(HttpServletResponse response) throws IOException {
    response.setStatus(status.value());
    if (body.length > 0) {
      response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }
}
