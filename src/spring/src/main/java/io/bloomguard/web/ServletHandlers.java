package io.bloomguard.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ApplicationContext;
import org.springframework.http.server.RequestPath;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** The handlers of Spring MVC. */
final class ServletHandlers {

  private ServletHandlers() {}

  static MappedHandlers<HttpServletRequest> of(
      List<HandlerMapping> mappings, ApplicationContext context) {
    List<MappedHandler<HttpServletRequest>> mapped = new ArrayList<>();
    for (HandlerMapping mapping : mappings) {
      if (mapping instanceof RequestMappingInfoHandlerMapping methods) {
        int place = mappings.indexOf(mapping);
        boolean annotated = mapping instanceof RequestMappingHandlerMapping;
        methods
            .getHandlerMethods()
            .forEach(
                (info, handler) -> {
                  PathPatternsRequestCondition patterns = info.getPathPatternsCondition();
                  if (patterns != null) {
                    patterns
                        .getPatterns()
                        .forEach(
                            pattern ->
                                mapped.add(
                                    new MappedHandler<>(
                                        place,
                                        annotated,
                                        info.getMethodsCondition().getMethods(),
                                        pattern,
                                        handler,
                                        request -> takes(info, request))));
                  }
                });
      }
    }
    return MappedHandlers.of(
        mapped,
        mappings.stream()
            .anyMatch(
                mapping ->
                    mapping instanceof RouterFunctionMapping routes
                        && routes.getRouterFunction() != null),
        context,
        RequestMappingHandlerAdapter.class,
        RequestMappingHandlerAdapter::getWebBindingInitializer);
  }

  private static boolean takes(RequestMappingInfo info, HttpServletRequest request) {
    Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
    try {
      ServletRequestPathUtils.parseAndCache(request);
      return info.getMatchingCondition(request) != null;
    } finally {
      ServletRequestPathUtils.setParsedRequestPath((RequestPath) before, request);
    }
  }
}
