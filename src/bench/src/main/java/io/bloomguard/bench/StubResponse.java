package io.bloomguard.bench;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.lang.reflect.Proxy;

/** A response that keeps its status and drops the rest. */
final class StubResponse extends HttpServletResponseWrapper {

  private static final HttpServletResponse NOTHING =
      (HttpServletResponse)
          Proxy.newProxyInstance(
              StubResponse.class.getClassLoader(),
              new Class<?>[] {HttpServletResponse.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.toString());
              });

  private final ServletOutputStream body =
      new ServletOutputStream() {
        @Override
        public void write(int b) {}

        @Override
        public void write(byte[] bytes) {}

        @Override
        public boolean isReady() {
          return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
          throw new UnsupportedOperationException();
        }
      };

  private int status;

  StubResponse() {
    super(NOTHING);
  }

  @Override
  public void setStatus(int status) {
    this.status = status;
  }

  @Override
  public int getStatus() {
    return status;
  }

  @Override
  public void setContentType(String type) {}

  @Override
  public void setContentLength(int length) {}

  @Override
  public ServletOutputStream getOutputStream() {
    return body;
  }
}
