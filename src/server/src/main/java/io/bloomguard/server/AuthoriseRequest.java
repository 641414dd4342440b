package io.bloomguard.server;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A proxy's question. The path that it asks about stands behind that of the endpoint, or in a
 * header; all that comes after this filter sees the endpoint's path alone, so that a path which the
 * server itself would not take can be judged.
 */
final class AuthoriseRequest extends HttpServletRequestWrapper {

  static final String PATH = "/v1/authorise";

  private static final String ASKED = AuthoriseRequest.class.getName();

  private final String uri;

  private AuthoriseRequest(HttpServletRequest request, String uri) {
    super(request);
    this.uri = uri;
  }

  /** The path that stands behind that of the endpoint, empty for none; null for other requests. */
  static @Nullable String asked(ServletRequest request) {
    return (String) request.getAttribute(ASKED);
  }

  @Override
  public String getRequestURI() {
    return uri;
  }

  @Override
  public StringBuffer getRequestURL() {
    StringBuffer url = super.getRequestURL();
    url.setLength(url.length() - super.getRequestURI().length());
    return url.append(uri);
  }

  @Override
  public String getServletPath() {
    return super.getPathInfo() == null
        ? uri.substring(getContextPath().length())
        : super.getServletPath();
  }

  @Override
  public @Nullable String getPathInfo() {
    return super.getPathInfo() == null ? null : PATH;
  }

  @Override
  public @Nullable String getQueryString() {
    return null;
  }

  /**
   * Recognises questions.
   *
   * @param prefix the path of the server's dispatcher servlet
   */
  record Recognition(String prefix) implements Filter {

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      chain.doFilter(
          request instanceof HttpServletRequest asking ? recognised(asking) : request, response);
    }

    private HttpServletRequest recognised(HttpServletRequest request) {
      String endpoint = request.getContextPath() + prefix + PATH;
      String uri = request.getRequestURI();
      if (!uri.startsWith(endpoint)) {
        return request;
      }
      String asked = uri.substring(endpoint.length());
      if (!asked.isEmpty() && asked.charAt(0) != '/') {
        return request;
      }
      request.setAttribute(ASKED, asked);
      return new AuthoriseRequest(request, endpoint);
    }
  }
}
