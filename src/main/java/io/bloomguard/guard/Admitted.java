package io.bloomguard.guard;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Keys that passed, with or without a place in the bulkhead. */
final class Admitted<K> implements BloomGuard.Admission<K> {

  private final List<K> keys;
  private final Runnable leave;
  private final AtomicBoolean closed = new AtomicBoolean();

  Admitted(List<K> keys, Runnable leave) {
    this.keys = keys;
    this.leave = leave;
  }

  @Override
  public List<K> keys() {
    return keys;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      leave.run();
    }
  }
}
