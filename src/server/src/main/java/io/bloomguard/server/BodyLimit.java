package io.bloomguard.server;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.ResponseStatusException;

/**
 * The bound on bodies of calls that take a few values only: endpoint, console and demo catalogue. A
 * longer one is answered with 413, or 400 where it says no length, before it is in memory. The
 * membership API has a bound of its own.
 */
final class BodyLimit extends OncePerRequestFilter {

  /** In bytes; the longest argument is a key of 65,536 bytes, each escaped six-fold. */
  static final int MAX_BYTES = 512 * 1024;

  private static final String DETAIL = "The body is longer than " + MAX_BYTES + " bytes";

  private final RequestMatcher batches;

  /**
   * @param paths makes matchers for paths of the server's dispatcher servlet
   */
  BodyLimit(PathPatternRequestMatcher.Builder paths) {
    this.batches = paths.matcher("/v1/filters/**");
  }

  /** Its own: filters that are passed as one have the same name. */
  @Override
  protected String getAlreadyFilteredAttributeName() {
    return BodyLimit.class.getName() + ALREADY_FILTERED_SUFFIX;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (batches.matches(request)) {
      chain.doFilter(request, response);
    } else if (request.getContentLengthLong() > MAX_BYTES) {
      SecurityProblems.write(response, HttpStatus.CONTENT_TOO_LARGE, DETAIL);
    } else {
      chain.doFilter(new Limited(request), response);
    }
  }

  private static final class Limited extends HttpServletRequestWrapper {

    private @Nullable Counted body;

    Limited(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      if (body == null) {
        body = new Counted(super.getInputStream());
      }
      return body;
    }

    @Override
    public BufferedReader getReader() throws IOException {
      return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
    }
  }

  /** Refuses what comes after {@link #MAX_BYTES}; a body without a length says so only then. */
  private static final class Counted extends ServletInputStream {

    private final ServletInputStream body;
    private int left = MAX_BYTES;

    Counted(ServletInputStream body) {
      this.body = body;
    }

    @Override
    public int read() throws IOException {
      int value = body.read();
      count(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = body.read(buffer, offset, length);
      count(Math.max(0, read));
      return read;
    }

    private void count(int bytes) {
      left -= bytes;
      if (left < 0) {
        throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, DETAIL);
      }
    }

    @Override
    public boolean isFinished() {
      return body.isFinished();
    }

    @Override
    public boolean isReady() {
      return body.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      body.setReadListener(listener);
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }
}
