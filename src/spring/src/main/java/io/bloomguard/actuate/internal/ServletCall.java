package io.bloomguard.actuate.internal;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The servlet request behind an endpoint's operation, for what the endpoint API does not show.
 * Where the call came another way, there is nothing to see and nothing is done.
 */
public final class ServletCall {

  private static final boolean SERVLET =
      isPresent("jakarta.servlet.http.HttpServletRequest")
          && isPresent("org.springframework.web.context.request.ServletRequestAttributes");

  /** {@code HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE} of Spring MVC. */
  private static final String PATH_VARIABLES =
      "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

  private ServletCall() {}

  /**
   * The rule that a call breaks which brings arguments elsewhere than where they belong, or null.
   *
   * @param name the argument {@code name} as it was bound; a body may have overwritten the path's
   */
  public static @Nullable String misplacedArgument(String name) {
    String query = misplacedQuery();
    if (query != null) {
      return query;
    }
    ServletRequestAttributes call = current();
    if (call != null
        && call.getRequest().getAttribute(PATH_VARIABLES) instanceof Map<?, ?> path
        && !name.equals(path.get("name"))) {
      return "'name' in the body is refused: the filter is named by the path";
    }
    return null;
  }

  /**
   * The rule that a call with query parameters breaks, or null.
   *
   * <p>Parameters and not the bare query string: a read's answer to a call without any may be kept
   * for later ones.
   */
  public static @Nullable String misplacedQuery() {
    ServletRequestAttributes call = current();
    return call != null && !call.getRequest().getParameterMap().isEmpty()
        ? "Query parameters are refused: arguments belong in the JSON body"
        : null;
  }

  /** The caller's address, as the container has it; {@code unknown} without a request. */
  static String remoteAddress() {
    ServletRequestAttributes call = current();
    return call == null ? "unknown" : String.valueOf(call.getRequest().getRemoteAddr());
  }

  /** Sets {@code Retry-After}, in whole seconds, rounded up. */
  public static void retryAfter(Duration rest) {
    ServletRequestAttributes call = current();
    if (call != null && call.getResponse() != null) {
      long seconds = Math.max(1, rest.plusMillis(999).toSeconds());
      call.getResponse().setHeader("Retry-After", Long.toString(seconds));
    }
  }

  private static @Nullable ServletRequestAttributes current() {
    return SERVLET
            && RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes call
        ? call
        : null;
  }

  private static boolean isPresent(String type) {
    return ClassUtils.isPresent(type, ServletCall.class.getClassLoader());
  }
}
