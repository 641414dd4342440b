package io.bloomguard.server;

import io.bloomguard.web.PathRules;
import io.bloomguard.web.internal.RuleRefusal;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint that decides for proxies, before Spring MVC: whether the filters let a request pass.
 * It reads a path, a method and headers, never a body.
 */
final class AuthoriseWebFilter implements Filter {

  /** A token of RFC 9110. */
  private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** The ways in which a proxy names the request that it asks about. */
  private enum Naming {
    /** By the path behind that of the endpoint, as Envoy does. */
    PATH("", "", 404),
    /** As nginx does, which makes 500 of every refusal but 401 and 403. */
    ORIGINAL("X-Original-URI", "X-Original-Method", 403),
    /** As Traefik and Caddy do. */
    FORWARDED("X-Forwarded-Uri", "X-Forwarded-Method", 404);

    private final String uri;
    private final String method;
    private final int absent;

    Naming(String uri, String method, int absent) {
      this.uri = uri;
      this.method = method;
      this.absent = absent;
    }

    boolean isIn(HttpServletRequest request) {
      return request.getHeader(uri) != null || request.getHeader(method) != null;
    }
  }

  private final PathRules rules;
  private final TrustedPeers peers;
  private final @Nullable Integer deniedStatus;

  /**
   * @param peers whose headers are believed
   * @param deniedStatus the status for an absent key; null for that of the way in which a proxy
   *     asks
   */
  AuthoriseWebFilter(PathRules rules, TrustedPeers peers, @Nullable Integer deniedStatus) {
    this.rules = rules;
    this.peers = peers;
    this.deniedStatus = deniedStatus;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    String asked = AuthoriseRequest.asked(request);
    if (asked == null || request.getDispatcherType() != DispatcherType.REQUEST) {
      chain.doFilter(request, response);
    } else {
      answer(asked, (HttpServletRequest) request, (HttpServletResponse) response);
    }
  }

  private void answer(String asked, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!asked.isEmpty()) {
      decide(Naming.PATH, request.getMethod(), asked, response);
      return;
    }
    boolean original = Naming.ORIGINAL.isIn(request);
    if (original && Naming.FORWARDED.isIn(request)) {
      AuthoriseAnswer.AMBIGUOUS.write(response);
    } else if (!peers.trusts(request)) {
      AuthoriseAnswer.UNTRUSTED.write(response);
    } else {
      answer(original ? Naming.ORIGINAL : Naming.FORWARDED, request, response);
    }
  }

  private void answer(Naming naming, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    List<String> uris = Collections.list(request.getHeaders(naming.uri));
    List<String> methods = Collections.list(request.getHeaders(naming.method));
    if (uris.size() > 1 || methods.size() > 1) {
      AuthoriseAnswer.AMBIGUOUS.write(response);
    } else if (uris.isEmpty()
        || methods.isEmpty()
        || !uris.get(0).startsWith("/")
        || !METHOD.matcher(methods.get(0)).matches()) {
      AuthoriseAnswer.UNNAMED.write(response);
    } else {
      decide(naming, methods.get(0), path(uris.get(0)), response);
    }
  }

  /** The path of a request target, whose query is not judged. */
  private static String path(String target) {
    int end = target.indexOf('?');
    return end < 0 ? target : target.substring(0, end);
  }

  private void decide(Naming naming, String method, String path, HttpServletResponse response)
      throws IOException {
    RuleRefusal refusal = rules.refusal(method, path);
    AuthoriseAnswer answer =
        refusal == null
            ? AuthoriseAnswer.ALLOWED
            : AuthoriseAnswer.of(
                refusal.problem(), deniedStatus == null ? naming.absent : deniedStatus);
    answer.write(response);
  }
}
