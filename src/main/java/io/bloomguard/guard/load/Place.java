package io.bloomguard.guard.load;

import org.jspecify.annotations.Nullable;

/**
 * A place in the bulkhead, held by one load or request until it is closed.
 *
 * <p>A load within that load takes no second place, or loads that need each other's places would
 * wait for each other: it borrows this one, as long as no other load within borrows it. The place
 * is free when its holder and the last borrower have closed it.
 *
 * <p>A load knows what it is within by the calling thread: {@link #enter} makes a place the
 * thread's. Work that a load hands to another thread by itself is not within it, unless the place
 * is entered there.
 */
public final class Place implements AutoCloseable {

  private static final ThreadLocal<@Nullable Place> CURRENT = new ThreadLocal<>();
  private static final Scope NOWHERE = () -> {};

  private final Bulkhead bulkhead;
  private final PlaceQueue within = new PlaceQueue(1);
  private final Runnable giveBack;

  Place(Bulkhead bulkhead, Runnable giveBack) {
    this.bulkhead = bulkhead;
    this.giveBack = giveBack;
  }

  /** The place that the calling thread works in; null for none. */
  public static @Nullable Place current() {
    return CURRENT.get();
  }

  /** Makes {@code place} the calling thread's until the answer is closed; null changes nothing. */
  public static Scope enter(@Nullable Place place) {
    if (place == null) {
      return NOWHERE;
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

  /**
   * The queue of the loads within this one; null in another bulkhead, whose places this one does
   * not hold.
   */
  @Nullable PlaceQueue within(Bulkhead asked) {
    return asked == bulkhead ? within : null;
  }

  /** Gives the place back; may be called more than once, on any thread. */
  @Override
  public void close() {
    within.close(giveBack);
  }

  /** A part of a thread's work. */
  public interface Scope extends AutoCloseable {

    /** Ends it, on the thread that began it. */
    @Override
    void close();
  }
}
