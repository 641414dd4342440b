package io.bloomguard.web.internal;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/** The bytes of problems as the answers of servlets. */
public final class ServletProblems {

  private ServletProblems() {}

  /**
   * Writes the answer in place of the handler's.
   *
   * @param refusal the answer
   * @param response the response, to which nothing is written yet
   * @throws IOException if the client has gone
   */
  public static void write(RuleRefusal refusal, HttpServletResponse response) throws IOException {
    String later = refusal.retryAfterSeconds();
    if (later != null) {
      response.setHeader(HttpHeaders.RETRY_AFTER, later);
    }
    write(refusal.problem(), response);
  }

  static void write(Problem problem, HttpServletResponse response) throws IOException {
    byte[] body = problem.body();
    response.setStatus(problem.status().value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
