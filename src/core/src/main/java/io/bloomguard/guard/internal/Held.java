package io.bloomguard.guard.internal;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;

/** What a call holds while its keys go on: a place in the bulkhead, or a trial. */
public interface Held extends AutoCloseable {

  /**
   * Makes it that of the calling thread: guarded calls in that scope take no second place, and let
   * a key under trial pass.
   *
   * @return the end of the scope, which the same thread closes
   */
  default Scope enter() {
    return Entered.into(this);
  }

  /**
   * Gives it back, on any thread; later ends do nothing.
   *
   * @param found what was found for the key
   */
  void end(Finding found);

  /** Ends it without a finding, as after a failure. */
  @Override
  default void close() {
    end(Finding.OTHER);
  }
}
