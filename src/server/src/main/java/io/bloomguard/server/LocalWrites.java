package io.bloomguard.server;

import com.google.common.net.InetAddresses;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Takes writes from the server's own machine only, for a server that asks for no credentials.
 *
 * <p>A write is every call that is not a read, a check or one of the demo catalogue. Its sender is
 * local if the connection comes from a loopback address and no proxy names another one. Addresses
 * that a proxy reports count only against the caller, because anyone can send such a header.
 *
 * <p>A browser on that machine sends what any page asks of it. So the server must be addressed as
 * this machine too, which a name of the page's own that resolves to a loopback address is not (DNS
 * rebinding), and a page must be one of the server itself.
 */
final class LocalWrites extends OncePerRequestFilter {

  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

  /** Of a page of the same origin, or of no page. */
  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

  private static final List<String> FORWARDED =
      List.of("Forwarded", "X-Forwarded-For", "X-Real-IP");

  /**
   * {@code Globals.REQUEST_FORWARDED_ATTRIBUTE}: Tomcat may have replaced the connection's address
   * by one from a header.
   */
  private static final String REPLACED = "org.apache.tomcat.request.forwarded";

  /** The connection's own address, where {@link Connections} has noted it. */
  private static final String PEER = LocalWrites.class.getName() + ".peer";

  private static final String DETAIL =
      "Without the profile '"
          + SecuredConfiguration.PROFILE
          + "' this server takes writes from its own machine only, %s: start it with"
          + " spring.profiles.active="
          + SecuredConfiguration.PROFILE
          + ", or set bloomguard.server.open-writes=true";

  private final List<RequestMatcher> open;

  /**
   * @param paths makes matchers for paths of the server's dispatcher servlet
   */
  LocalWrites(PathPatternRequestMatcher.Builder paths) {
    this.open =
        List.of(
            paths.matcher(HttpMethod.POST, "/v1/filters/*/check"),
            paths.matcher(HttpMethod.POST, "/v1/filters/*/*/check"),
            paths.matcher(AuthoriseRequest.PATH),
            paths.matcher("/api/products/**"));
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String broken =
        READS.contains(request.getMethod()) || open.stream().anyMatch(path -> path.matches(request))
            ? null
            : brokenRule(request);
    if (broken == null) {
      chain.doFilter(request, response);
    } else {
      SecurityProblems.write(response, HttpStatus.FORBIDDEN, DETAIL.formatted(broken));
    }
  }

  /** The rule for writes that a request breaks; null for none. */
  static @Nullable String brokenRule(HttpServletRequest request) {
    if (!isLocal(request)) {
      return "and this call is from another or by a proxy";
    }
    HttpServletRequest received = connection(request);
    String host = received.getHeader(HttpHeaders.HOST);
    if (!isThisMachine(received.getServerName()) || host != null && !isThisMachine(name(host))) {
      return "addressed as localhost or by a loopback address, and this call's Host is another";
    }
    String site = received.getHeader("Sec-Fetch-Site");
    String origin = received.getHeader(HttpHeaders.ORIGIN);
    return site != null && !OWN_SITE.contains(site) || origin != null && !isOf(origin, host)
        ? "and from no page but its own, and this call's Origin is another"
        : null;
  }

  /** Whether an origin is that of the pages of a host. */
  private static boolean isOf(String origin, @Nullable String host) {
    for (String scheme : new String[] {"http", "https"}) {
      String address = scheme + "://" + host;
      String port = scheme.equals("http") ? ":80" : ":443";
      if (origin.equalsIgnoreCase(address) || (origin + port).equalsIgnoreCase(address)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isThisMachine(String name) {
    return name.equalsIgnoreCase("localhost") || isLoopback(address(name));
  }

  /** The name or address in a {@code Host}, without its port. */
  private static String name(String host) {
    int colon = host.startsWith("[") ? -1 : host.lastIndexOf(':');
    return colon < 0 ? host : host.substring(0, colon);
  }

  /** Whether every address that is known of the caller is a loopback address. */
  static boolean isLocal(HttpServletRequest wrapped) {
    HttpServletRequest request = connection(wrapped);
    String peer = peer(request);
    return isLoopback(request.getRemoteAddr())
        && peer != null
        && isLoopback(peer)
        && FORWARDED.stream()
            .flatMap(name -> Collections.list(request.getHeaders(name)).stream())
            .flatMap(header -> List.of(header.split("[,;]", -1)).stream())
            .map(String::strip)
            .filter(LocalWrites::isAddress)
            .allMatch(part -> isLoopback(address(part)));
  }

  /** The connection's own address; null if a header may have replaced it. */
  static @Nullable String peer(HttpServletRequest wrapped) {
    HttpServletRequest request = connection(wrapped);
    return request.getAttribute(PEER) instanceof String peer
        ? peer
        : request.getAttribute(REPLACED) == null ? request.getRemoteAddr() : null;
  }

  /** The request as the container received it, before any filter has changed its address. */
  private static HttpServletRequest connection(HttpServletRequest wrapped) {
    ServletRequest request = wrapped;
    while (request instanceof ServletRequestWrapper wrapper) {
      request = wrapper.getRequest();
    }
    return request instanceof HttpServletRequest http ? http : wrapped;
  }

  /** False for the parameters of RFC 7239 that are not the address of a caller. */
  private static boolean isAddress(String part) {
    String name = part.toLowerCase(Locale.ROOT);
    return !(name.startsWith("by=") || name.startsWith("host=") || name.startsWith("proto="));
  }

  /** The address in {@code for="[2001:db8::1]:4711"}, {@code 192.0.2.1:80} or a bare one. */
  private static String address(String part) {
    String text = part.regionMatches(true, 0, "for=", 0, 4) ? part.substring(4) : part;
    text = text.replace("\"", "").strip();
    if (text.startsWith("[")) {
      return text.substring(1, Math.max(1, text.indexOf(']')));
    }
    int colon = text.indexOf(':');
    return colon >= 0 && colon == text.lastIndexOf(':') ? text.substring(0, colon) : text;
  }

  static boolean isLoopback(String address) {
    return InetAddresses.isInetAddress(address)
        && InetAddresses.forString(address).isLoopbackAddress();
  }

  /** Notes the connection's own address, which a valve that believes headers replaces. */
  static final class Connections extends ValveBase {

    Connections() {
      super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
      request.setAttribute(PEER, request.getPeerAddr());
      getNext().invoke(request, response);
    }
  }
}
