package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * A removal that the store refused or could not decide, or whose answer did not come. Unless it is
 * {@linkplain #isRepeatable repeatable}, some of its keys may have been removed, and a repeated
 * call could remove them twice.
 */
public class RemovalFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean repeatable;

  /** A removal that may have taken effect. */
  public RemovalFailedException(String message, @Nullable Throwable cause) {
    this(message, cause, /* repeatable= */ false);
  }

  private RemovalFailedException(String message, @Nullable Throwable cause, boolean repeatable) {
    super(message, cause);
    this.repeatable = repeatable;
  }

  /** A removal that certainly removed no key. */
  public static RemovalFailedException repeatable(String message, @Nullable Throwable cause) {
    return new RemovalFailedException(message, cause, /* repeatable= */ true);
  }

  /** Whether no key was removed, so that the same call may be made again. */
  public boolean isRepeatable() {
    return repeatable;
  }

  /** The same failure of a call that removed so many keys before it. */
  public RemovalFailedException after(int removed) {
    return removed == 0 || !repeatable
        ? this
        : new RemovalFailedException(String.valueOf(getMessage()), this);
  }
}
