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
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * The call of a handler while its request has holdings. Guarded calls within the request take no
 * second place: on its thread, on those of its asynchronous dispatches, and on that of a {@link
 * Callable} that the handler returns.
 */
final class ServletHandlerCall {

  private static final String ATTRIBUTE = ServletHandlerCall.class.getName();

  private final RequestHolds holds;

  private ServletHandlerCall(RequestHolds holds) {
    this.holds = holds;
  }

  /** Calls the handler, and ends all holdings once the request is complete. */
  static void call(
      RequestHolds holds,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws ServletException, IOException {
    ServletHandlerCall call = new ServletHandlerCall(holds);
    boolean later = false;
    try (Scope entered = holds.enter()) {
      if (holds.hasPlace()) {
        request.setAttribute(ATTRIBUTE, holds);
        WebAsyncUtils.getAsyncManager(request)
            .registerCallableInterceptor(ATTRIBUTE, call.new OnTheThreadOfACallable());
      }
      chain.doFilter(request, response);
      later = request.isAsyncStarted() && call.endsLater(request, response);
      if (!later) {
        holds.end(response.getStatus());
      }
    } finally {
      if (!later) {
        holds.giveUp();
      }
    }
  }

  /** Continues an asynchronous request in the place that it holds. */
  static void resume(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getAttribute(ATTRIBUTE) instanceof RequestHolds holds) {
      try (Scope placed = holds.enterPlace()) {
        chain.doFilter(request, response);
      }
    } else {
      chain.doFilter(request, response);
    }
  }

  /** False if the asynchronous answer is complete already. */
  private boolean endsLater(HttpServletRequest request, HttpServletResponse response) {
    try {
      request.getAsyncContext().addListener(new AtItsEnd(response), request, response);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** The listener that ends all holdings with an asynchronous answer. */
  private final class AtItsEnd implements AsyncListener {

    private final HttpServletResponse response;

    AtItsEnd(HttpServletResponse response) {
      this.response = response;
    }

    @Override
    public void onComplete(AsyncEvent event) {
      holds.end(response.getStatus());
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
  }

  /** Makes the place that of the thread on which Spring MVC runs a handler's callable. */
  private final class OnTheThreadOfACallable implements CallableProcessingInterceptor {

    private @Nullable Scope placed;

    @Override
    public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
      placed = holds.enterPlace();
    }

    @Override
    public <T> void postProcess(
        NativeWebRequest request, Callable<T> task, @Nullable Object result) {
      if (placed != null) {
        placed.close();
      }
    }
  }
}
