package io.bloomguard.web;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Pass;
import java.util.ArrayList;
import java.util.List;

/**
 * The passes of one request until it is complete: places in the bulkhead while filters cannot tell,
 * and trials of rejected keys that go to the handler.
 *
 * <p>A trial learns from the answer whether its key exists: its rule has the statuses that tell so,
 * by default 200 and 404; every other answer, and a failure, is no verdict. Nor is 200 without a
 * body, which handlers answer that have found nothing.
 */
final class RequestHolds {

  /** A status that tells nothing. */
  private static final int NONE = 0;

  private final List<Held> held = new ArrayList<>(0);
  private boolean over;

  /** A pass, and the rule that reads the answer to its request. */
  private record Held(Pass<?> pass, WebRule rule) {

    boolean isPlace() {
      return !pass.isTrial();
    }

    void end(int status, boolean empty) {
      pass.end(
          rule.found().contains(status)
              ? empty && WebRule.FOUND.contains(status) ? Finding.UNCLEAR : Finding.VALUE
              : rule.absent().contains(status) ? Finding.NOTHING : Finding.OTHER);
    }
  }

  /** {@return whether the request goes on} What the pass holds is held until its end. */
  boolean add(Pass<?> pass, WebRule rule) {
    if (pass.isHeld() && !hold(new Held(pass, rule))) {
      pass.close();
    }
    return !pass.isEmpty();
  }

  /** False if the request is over, as it may be for a client that has gone meanwhile. */
  private synchronized boolean hold(Held one) {
    return !over && held.add(one);
  }

  boolean nothing() {
    return held.isEmpty();
  }

  /** Makes the innermost place that of the thread: guarded calls there take no second one. */
  Scope enterPlace() {
    for (int i = held.size() - 1; i >= 0; i--) {
      if (held.get(i).isPlace()) {
        return held.get(i).pass().enter();
      }
    }
    return Scope.NONE;
  }

  /** Makes places and trials those of the thread. */
  Scope enter() {
    List<Scope> entered = new ArrayList<>(held.size());
    held.forEach(one -> entered.add(0, one.pass().enter()));
    return () -> entered.forEach(Scope::close);
  }

  /** Ends the trials without a verdict. */
  void leaveOpen() {
    held.stream().filter(one -> !one.isPlace()).forEach(one -> one.end(NONE, true));
  }

  /**
   * Ends all, by the status of the answer. Each ends once; later ends do nothing.
   *
   * @param empty whether the handler has answered without a body
   */
  void end(int status, boolean empty) {
    synchronized (this) {
      over = true;
    }
    held.forEach(one -> one.end(status, empty));
  }

  /** Ends all without a verdict. */
  void giveUp() {
    end(NONE, true);
  }
}
