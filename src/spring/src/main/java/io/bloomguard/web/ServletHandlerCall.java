package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The call of a handler while its request has holdings. Guarded calls within the request take no
 * second place: on its thread, on those of its asynchronous dispatches, and on that of a {@link
 * Callable} that the handler returns.
 */
record ServletHandlerCall(
    RequestHolds holds, HttpServletRequest request, HttpServletResponse response)
    implements AsyncListener, CallableProcessingInterceptor {

  private static final String ATTRIBUTE = ServletHandlerCall.class.getName();

  /** The scope of the thread on which a callable runs. */
  private static final String ENTERED = ATTRIBUTE + ".ENTERED";

  /** {@return whether it ends all holdings later, once an asynchronous answer is complete} */
  static boolean call(
      RequestHolds holds,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws ServletException, IOException {
    if (holds.nothing()) {
      chain.doFilter(request, response);
      return false;
    }
    ServletHandlerCall call = new ServletHandlerCall(holds, request, response);
    try (Scope entered = holds.enter()) {
      request.setAttribute(ATTRIBUTE, holds);
      WebAsyncUtils.getAsyncManager(request).registerCallableInterceptor(ATTRIBUTE, call);
      chain.doFilter(request, response);
      boolean later = request.isAsyncStarted() && call.endsLater();
      if (!later) {
        call.end();
      }
      return later;
    }
  }

  /** Continues an asynchronous request in the place that it holds. */
  static void resume(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    try (Scope placed =
        request.getAttribute(ATTRIBUTE) instanceof RequestHolds holds
            ? holds.enterPlace()
            : Scope.NONE) {
      chain.doFilter(request, response);
    }
  }

  /** False if the asynchronous answer is complete already. */
  private boolean endsLater() {
    try {
      request.getAsyncContext().addListener(this, request, response);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Override
  public void onComplete(AsyncEvent event) {
    end();
  }

  /** A handler method that returns nothing leaves the type of the content open. */
  private void end() {
    boolean empty =
        request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)
                instanceof HandlerMethod
            && response.getContentType() == null;
    holds.end(response.getStatus(), empty);
  }

  /** Keeps the place: the handler's work continues until the request is complete. */
  @Override
  public void onTimeout(AsyncEvent event) {
    holds.leaveOpen();
  }

  @Override
  public void onError(AsyncEvent event) {
    holds.leaveOpen();
  }

  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }

  /** On the thread on which Spring MVC runs a handler's callable. */
  @Override
  public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
    request.setAttribute(ENTERED, holds.enterPlace(), RequestAttributes.SCOPE_REQUEST);
  }

  @Override
  public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
    if (request.getAttribute(ENTERED, RequestAttributes.SCOPE_REQUEST) instanceof Scope entered) {
      entered.close();
    }
  }
}
