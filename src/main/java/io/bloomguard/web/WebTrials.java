package io.bloomguard.web;

import io.bloomguard.guard.verify.Trial;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The trials of one request whose rejected keys go to the handler all the same: its answer tells
 * whether they exist.
 *
 * <p>200 means that they do and 404 that they do not; every other answer, and an exception, tells
 * nothing.
 */
final class WebTrials {

  private final List<Trial> trials = new ArrayList<>(1);

  void add(Trial trial) {
    trials.add(trial);
  }

  boolean none() {
    return trials.isEmpty();
  }

  /** Ends them without a verdict, because the handler is not called. */
  void giveUp() {
    trials.forEach(Trial::close);
  }

  /** Calls the handler, and judges by its answer once that is complete. */
  void call(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    boolean later = false;
    List<Trial.Scope> entered = trials.stream().map(Trial::enter).toList();
    try {
      chain.doFilter(request, response);
      later = request.isAsyncStarted() && judgesAtItsEnd(request, response);
      if (!later) {
        judge(response.getStatus());
      }
    } finally {
      for (int i = entered.size() - 1; i >= 0; i--) {
        entered.get(i).close();
      }
      if (!later) {
        giveUp();
      }
    }
  }

  /** False if the asynchronous answer is complete already. */
  private boolean judgesAtItsEnd(HttpServletRequest request, HttpServletResponse response) {
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

  /** Judges an asynchronous answer. A trial ends once, whatever is told afterwards. */
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

    @Override
    public void onTimeout(AsyncEvent event) {
      giveUp();
    }

    @Override
    public void onError(AsyncEvent event) {
      giveUp();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this);
    }
  }
}
