package io.bloomguard.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.http.server.RequestPath;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The CORS headers of a refusal: those of the handler that the request would have reached. Without
 * them a browser shows a script another error.
 */
final class ServletCrossOrigin {

  private ServletCrossOrigin() {}

  /**
   * Writes the headers of Spring MVC's configuration, if the request is of another origin.
   *
   * @param mappings Spring MVC's, in their order
   * @return false if the configuration refuses the request, whose answer is then written
   */
  static boolean allows(
      HttpServletRequest request, HttpServletResponse response, List<HandlerMapping> mappings)
      throws IOException {
    if (!CorsUtils.isCorsRequest(request)) {
      return true;
    }
    Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
    try {
      ServletRequestPathUtils.parseAndCache(request);
      for (HandlerMapping mapping : mappings) {
        HandlerExecutionChain chain = mapping.getHandler(request);
        if (chain != null) {
          return allows(request, response, chain);
        }
      }
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      return true; // the request has no handler, and no configuration
    } finally {
      ServletRequestPathUtils.setParsedRequestPath((RequestPath) before, request);
    }
    return true;
  }

  /** As the interceptor says that Spring MVC adds to the handler's for CORS. */
  private static boolean allows(
      HttpServletRequest request, HttpServletResponse response, HandlerExecutionChain chain)
      throws Exception {
    for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
      if (interceptor instanceof CorsConfigurationSource) {
        return interceptor.preHandle(request, response, chain.getHandler());
      }
    }
    return true;
  }
}
