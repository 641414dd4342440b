package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.util.ServletRequestPathUtils;

/** A request of servlets, whose path Spring MVC parses. */
record ServletAsked(HttpServletRequest request) implements AskedRequest {

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public @Nullable String header(String name) {
    return request.getHeader(name);
  }

  /** One that no handler gets either is any text. */
  @Override
  public List<String> parameters(String name) {
    try {
      String[] values = request.getParameterValues(name);
      return values == null ? List.of() : List.of(values);
    } catch (IllegalStateException e) {
      return List.of("");
    }
  }

  @Override
  public boolean isPreFlight() {
    return CorsUtils.isPreFlightRequest(request);
  }

  @Override
  public PathReading path() {
    return new PathReading(request.getRequestURI(), this::served);
  }

  private PathContainer served() {
    try {
      return ServletRequestPathUtils.parse(request).pathWithinApplication();
    } catch (IllegalArgumentException e) {
      throw new InvalidKeyException("The path is not well-formed");
    }
  }

  boolean isTakenBy(RequestMappingInfo mapping) {
    try (Scope parsed = parsed()) {
      return mapping.getMatchingCondition(request) != null;
    }
  }

  /** Has the parsed path in the request, as the dispatcher has it for the mappings. */
  Scope parsed() {
    Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
    ServletRequestPathUtils.parseAndCache(request);
    return () -> ServletRequestPathUtils.setParsedRequestPath((RequestPath) before, request);
  }
}
