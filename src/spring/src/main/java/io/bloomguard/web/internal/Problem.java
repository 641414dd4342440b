package io.bloomguard.web.internal;

import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * The problems (RFC 9457) that the guard answers. They name neither key nor path, so their bodies
 * are made once.
 */
public enum Problem {
  ABSENT(HttpStatus.NOT_FOUND, "There is nothing with this key."),
  REJECTED(HttpStatus.FORBIDDEN, "This key is rejected."),
  INVALID(
      HttpStatus.BAD_REQUEST,
      "The key is empty, too long, not well-formed, or has control characters."),
  SHED(HttpStatus.SERVICE_UNAVAILABLE, "The key cannot be looked up now. Try again later."),
  NOT_ADDED(HttpStatus.SERVICE_UNAVAILABLE, "The key cannot be stored now. Try again later.");

  private final HttpStatus status;
  private final String detail;

  @SuppressWarnings("ImmutableEnumChecker") // never written to
  private final byte[] body;

  Problem(HttpStatus status, String detail) {
    this.status = status;
    this.detail = detail;
    this.body = body(status, detail);
  }

  /**
   * {@return the body of a problem of type {@code about:blank}}
   *
   * @param status the status
   * @param detail text without characters that JSON would escape
   */
  public static byte[] body(HttpStatus status, String detail) {
    return "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%s,\"detail\":\"%s\"}"
        .formatted(status.getReasonPhrase(), status.value(), detail)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** {@return what it says} */
  public String text() {
    return detail;
  }

  /** This problem for a message converter. */
  ProblemDetail detail() {
    return ProblemDetail.forStatusAndDetail(status, detail);
  }

  HttpStatus status() {
    return status;
  }

  /** The body, which is never written to. */
  byte[] body() {
    return body;
  }
}
