package io.bloomguard.bench;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.MappingMatch;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;

/** A request that has a method and a path and nothing else. */
final class StubRequest extends HttpServletRequestWrapper {

  private static final HttpServletRequest NOTHING =
      (HttpServletRequest)
          Proxy.newProxyInstance(
              StubRequest.class.getClassLoader(),
              new Class<?>[] {HttpServletRequest.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.toString());
              });

  private static final HttpServletMapping DEFAULT =
      new HttpServletMapping() {
        @Override
        public String getMatchValue() {
          return "";
        }

        @Override
        public String getPattern() {
          return "/";
        }

        @Override
        public String getServletName() {
          return "dispatcherServlet";
        }

        @Override
        public MappingMatch getMappingMatch() {
          return MappingMatch.DEFAULT;
        }
      };

  private final String method;
  private final String path;
  private final Map<String, Object> attributes = new HashMap<>();

  StubRequest(String method, String path) {
    super(NOTHING);
    this.method = method;
    this.path = path;
  }

  @Override
  public String getHeader(String name) {
    return null;
  }

  @Override
  public String getMethod() {
    return method;
  }

  @Override
  public String getRequestURI() {
    return path;
  }

  @Override
  public String getContextPath() {
    return "";
  }

  @Override
  public String getServletPath() {
    return path;
  }

  @Override
  public HttpServletMapping getHttpServletMapping() {
    return DEFAULT;
  }

  @Override
  public DispatcherType getDispatcherType() {
    return DispatcherType.REQUEST;
  }

  @Override
  public Object getAttribute(String name) {
    return attributes.get(name);
  }

  @Override
  public void setAttribute(String name, Object value) {
    attributes.put(name, value);
  }

  @Override
  public void removeAttribute(String name) {
    attributes.remove(name);
  }
}
