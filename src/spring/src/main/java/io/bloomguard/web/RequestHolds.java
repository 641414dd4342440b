package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.internal.Place;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * The holdings of one request until it is complete: a place in the bulkhead while a filter cannot
 * tell, and the trials of rejected keys that go to the handler.
 *
 * <p>Guarded calls within the request take no second place: on the thread of the request, on those
 * of its asynchronous dispatches, and on that of a {@link Callable} that the handler returns.
 *
 * <p>A trial learns from the answer whether its key exists: 200 means that it does and 404 that it
 * does not; every other answer, and an exception, is no verdict.
 */
final class RequestHolds {

  private static final String ATTRIBUTE = RequestHolds.class.getName();

  private final List<Trial> trials = new ArrayList<>(1);
  private final List<Place> places = new ArrayList<>(1);
  private final List<Scope> judging = new ArrayList<>(1);

  void add(Trial trial) {
    trials.add(trial);
  }

  /** Holds a place. The remaining rules take no second place. */
  void add(Place place) {
    places.add(place);
    judging.add(Place.enter(place));
  }

  boolean nothing() {
    return trials.isEmpty() && places.isEmpty();
  }

  /** Ends all holdings without a verdict, because the handler is not called. */
  void giveUp() {
    judged();
    trials.forEach(Trial::close);
    places.forEach(Place::close);
  }

  /** Notes that all rules have been checked. */
  private void judged() {
    for (int i = judging.size() - 1; i >= 0; i--) {
      judging.get(i).close();
    }
    judging.clear();
  }

  /** Calls the handler, and ends all holdings once the request is complete. */
  void call(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    judged();
    boolean later = false;
    Scope placed = enter();
    List<Scope> entered = trials.stream().map(Trial::enter).toList();
    try {
      if (!places.isEmpty()) {
        request.setAttribute(ATTRIBUTE, this);
        WebAsyncUtils.getAsyncManager(request)
            .registerCallableInterceptor(ATTRIBUTE, new OnTheThreadOfACallable());
      }
      chain.doFilter(request, response);
      later = request.isAsyncStarted() && endsLater(request, response);
      if (!later) {
        judge(response.getStatus());
      }
    } finally {
      for (int i = entered.size() - 1; i >= 0; i--) {
        entered.get(i).close();
      }
      placed.close();
      if (!later) {
        giveUp();
      }
    }
  }

  /** Continues an asynchronous request in the place that it holds. */
  static void resume(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getAttribute(ATTRIBUTE) instanceof RequestHolds holds) {
      try (Scope placed = holds.enter()) {
        chain.doFilter(request, response);
      }
    } else {
      chain.doFilter(request, response);
    }
  }

  /** Makes the innermost place that of the thread. */
  private Scope enter() {
    return Place.enter(places.isEmpty() ? null : places.get(places.size() - 1));
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

  private void judge(int status) {
    if (status == HttpServletResponse.SC_OK) {
      trials.forEach(Trial::found);
    } else if (status == HttpServletResponse.SC_NOT_FOUND) {
      trials.forEach(Trial::absent);
    }
  }

  /**
   * The listener that ends all holdings with an asynchronous answer. A trial ends once; later
   * reports have no effect.
   */
  private final class AtItsEnd implements AsyncListener {

    private final HttpServletResponse response;

    AtItsEnd(HttpServletResponse response) {
      this.response = response;
    }

    @Override
    public void onComplete(AsyncEvent event) {
      judge(response.getStatus());
      giveUp();
    }

    /** Keeps the place: the handler's work continues until the request is complete. */
    @Override
    public void onTimeout(AsyncEvent event) {
      trials.forEach(Trial::close);
    }

    @Override
    public void onError(AsyncEvent event) {
      trials.forEach(Trial::close);
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
      placed = enter();
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
