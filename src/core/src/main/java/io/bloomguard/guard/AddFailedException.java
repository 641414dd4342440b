package io.bloomguard.guard;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A key could not be stored in its filter, so the write that would make its row visible fails. */
public final class AddFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The reason for the failure. */
  public enum Reason {
    /** The store did not take it, or is out of reach. */
    STORE,

    /**
     * The filter has reached a bound: its journal, until older adds are past the retention, or its
     * subjects, until one expires.
     */
    FULL,

    /**
     * Foreign data lies where the filter keeps its own: of another program, which is neither
     * changed nor deleted, or of a filter with other settings.
     */
    FOREIGN
  }

  /** The reason, by which callers choose their answer. */
  private final Reason reason;

  /** The time until there may be room, null for other reasons. */
  private final @Nullable Duration retryAfter;

  /**
   * The failure of an add to a store.
   *
   * @param message the fault and the remedy, without any key
   * @param cause the exception of the store, null for none
   */
  public AddFailedException(String message, @Nullable Throwable cause) {
    this(Reason.STORE, message, cause, null);
  }

  private AddFailedException(
      Reason reason, String message, @Nullable Throwable cause, @Nullable Duration retryAfter) {
    super(message, cause);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  /**
   * {@return the failure of an add past a bound}
   *
   * @param message the bound and the property that sets it, without any key
   * @param retryAfter the time until there may be room
   */
  public static AddFailedException full(String message, Duration retryAfter) {
    return new AddFailedException(Reason.FULL, message, null, retryAfter);
  }

  /**
   * {@return the failure of an add where there is foreign data}
   *
   * @param filter the filter's name
   * @param why the purpose of the place, and the remedy; it names no key and no subject
   */
  public static AddFailedException foreign(String filter, String why) {
    return new AddFailedException(
        Reason.FOREIGN, "Filter '" + filter + "' could not take an add: " + why, null, null);
  }

  /** {@return the reason for the failure} */
  public Reason reason() {
    return reason;
  }

  /** {@return the time until the next try, for {@code Retry-After}; null for other reasons} */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
