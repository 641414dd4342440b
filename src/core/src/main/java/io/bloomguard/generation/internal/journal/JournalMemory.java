package io.bloomguard.generation.internal.journal;

import io.bloomguard.guard.AddFailedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bound on the heap of journals: that of one filter, within the bound of all filters of a
 * process.
 */
public final class JournalMemory {

  /** The default bound of a filter. */
  public static final long DEFAULT_BYTES = 128L << 20;

  private final String property;
  private final long bound;
  private final @Nullable JournalMemory all;
  private final AtomicLong taken = new AtomicLong();

  private JournalMemory(String property, long bound, @Nullable JournalMemory all) {
    this.property = property;
    this.bound = bound;
    this.all = all;
  }

  /**
   * The bound on the journals of all filters.
   *
   * @param property its name in messages
   */
  public static JournalMemory ofAll(String property, long bytes) {
    return new JournalMemory(property, bytes, null);
  }

  /**
   * The bound on the journals of one filter, within this one.
   *
   * @param property the property that sets it
   */
  public JournalMemory ofFilter(String property, long bytes) {
    return new JournalMemory(property, bytes, this);
  }

  /** The property that bounds the journal of a filter. */
  public static String property(String filter) {
    return "bloomguard.filters." + filter + ".rebuild.journal-max";
  }

  /** The property that sets the bound. */
  public String property() {
    return property;
  }

  /** The bound in bytes. */
  public long bound() {
    return bound;
  }

  /** The bytes taken. */
  public long taken() {
    return taken.get();
  }

  /** Takes bytes; or takes none, and returns the bound that would be exceeded. */
  @Nullable JournalMemory take(long bytes) {
    if (taken.addAndGet(bytes) > bound) {
      taken.addAndGet(-bytes);
      return this;
    }
    JournalMemory full = all == null ? null : all.take(bytes);
    if (full != null) {
      taken.addAndGet(-bytes);
    }
    return full;
  }

  void release(long bytes) {
    taken.addAndGet(-bytes);
    if (all != null) {
      all.release(bytes);
    }
  }

  AddFailedException full(String filter, Duration retryAfter) {
    return full(filter, property, bound, "on the heap", retryAfter);
  }

  /**
   * {@return the refusal of an add past the bound of a journal}
   *
   * @param property the property that sets the bound
   * @param bound in bytes
   * @param place the place of the journal, such as {@code on the heap}
   * @param retryAfter the time until there may be room
   */
  public static AddFailedException full(
      String filter, String property, long bound, String place, Duration retryAfter) {
    return AddFailedException.full(
        "Filter '"
            + filter
            + "' takes no adds for now: its journal "
            + place
            + " has reached "
            + bound
            + " bytes, the bound of "
            + property
            + "; raise that, or shorten the filter's rebuild.journal-retention",
        retryAfter);
  }
}
