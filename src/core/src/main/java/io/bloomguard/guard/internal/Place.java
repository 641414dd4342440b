package io.bloomguard.guard.internal;

import io.bloomguard.guard.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A place in the bulkhead, held by one load or request until it is closed.
 *
 * <p>A nested load takes no second place, because loads that need each other's places would wait
 * for each other: it borrows this place, unless another nested load borrows it. The place is free
 * when its holder and the last borrower have closed it.
 *
 * <p>The calling thread shows which load a load is nested in: {@link #enter} makes a place the
 * thread's. Work that a load hands to another thread by itself is not nested in it, unless that
 * thread enters the place.
 */
public abstract class Place implements AutoCloseable {

  private static final ThreadLocal<@Nullable Place> CURRENT = new ThreadLocal<>();

  /** A place that is held from now on. */
  protected Place() {}

  /** {@return the place that the calling thread works in; null for none} */
  public static @Nullable Place current() {
    return CURRENT.get();
  }

  /**
   * Makes {@code place} the calling thread's until the answer is closed.
   *
   * @param place the place; null changes nothing
   * @return the end, which the same thread closes
   */
  public static Scope enter(@Nullable Place place) {
    if (place == null) {
      return Scope.NONE;
    }
    Place outer = CURRENT.get();
    CURRENT.set(place);
    return () -> {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    };
  }

  /** Gives the place back; may be called more than once, on any thread. */
  @Override
  public abstract void close();
}
