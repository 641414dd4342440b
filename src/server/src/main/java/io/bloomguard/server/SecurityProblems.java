package io.bloomguard.server;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.server.resource.web.BearerTokenAuthenticationEntryPoint;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.csrf.CsrfException;

/** The RFC 9457 problem for a caller that has not logged in, or lacks the right. */
final class SecurityProblems implements AuthenticationEntryPoint, AccessDeniedHandler {

  private static final String CHALLENGE = "Basic realm=\"Bloomguard\", charset=\"UTF-8\"";

  private final AuthenticationEntryPoint challenge;

  private SecurityProblems(AuthenticationEntryPoint challenge) {
    this.challenge = challenge;
  }

  /** Asks for a name and a password. */
  static SecurityProblems basic() {
    return new SecurityProblems(
        (request, response, e) -> response.setHeader(HttpHeaders.WWW_AUTHENTICATE, CHALLENGE));
  }

  /** Asks for a token. */
  static SecurityProblems bearer() {
    return new SecurityProblems(new BearerTokenAuthenticationEntryPoint());
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException e)
      throws IOException, ServletException {
    response.setStatus(HttpStatus.UNAUTHORIZED.value());
    challenge.commence(request, response, e);
    write(response, HttpStatus.valueOf(response.getStatus()), "The call needs valid credentials");
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException e)
      throws IOException {
    write(
        response,
        HttpStatus.FORBIDDEN,
        e instanceof CsrfException
            ? "A browser's call needs the value of the cookie XSRF-TOKEN in the header X-XSRF-TOKEN"
            : "The call needs a role that the user does not have");
  }

  /** Answers with that problem. */
  static void write(HttpServletResponse response, HttpStatus status, String detail)
      throws IOException {
    response.setStatus(status.value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    String problem =
        "{\"detail\":\"%s\",\"status\":%s,\"title\":\"%s\"}"
            .formatted(detail, status.value(), status.getReasonPhrase());
    // Not by the writer, which would name its own charset.
    response.getOutputStream().write(problem.getBytes(StandardCharsets.UTF_8));
  }
}
