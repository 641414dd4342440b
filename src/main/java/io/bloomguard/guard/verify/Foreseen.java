package io.bloomguard.guard.verify;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.Trial;
import org.jspecify.annotations.Nullable;

/**
 * Findings about keys ahead of their guarded calls, which take them on the same thread. A call
 * takes the innermost one alone, if it is of its key, and once.
 *
 * @param <T> the finding
 */
public final class Foreseen<T> {

  private final ThreadLocal<@Nullable Left> innermost = new ThreadLocal<>();

  /**
   * Leaves a finding to the next guarded call of a key on this thread, until the answer is closed.
   *
   * @param owner the taker's store or verification, which stands for its filter
   * @param key canonical
   */
  public Left leave(Object owner, String key, T finding) {
    Left left = new Left(owner, key, finding, innermost.get());
    innermost.set(left);
    return left;
  }

  /** Takes the finding about a key, canonical or a number; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // the owner itself
  public @Nullable T take(Object owner, Object key) {
    Left left = innermost.get();
    if (left == null
        || left.taken
        || left.owner != owner
        || !left.key.equals(CanonicalKey.of(key))) {
      return null;
    }
    left.taken = true;
    return left.finding;
  }

  /** A finding that is there to be taken. */
  public final class Left implements Trial.Scope {

    private final Object owner;
    private final String key;
    private final T finding;
    private final @Nullable Left outer;
    private boolean taken;

    private Left(Object owner, String key, T finding, @Nullable Left outer) {
      this.owner = owner;
      this.key = key;
      this.finding = finding;
      this.outer = outer;
    }

    /** Whether a call has taken it. */
    public boolean isTaken() {
      return taken;
    }

    @Override
    public void close() {
      if (outer == null) {
        innermost.remove();
      } else {
        innermost.set(outer);
      }
    }
  }
}
