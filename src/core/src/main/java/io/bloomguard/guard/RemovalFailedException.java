package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * A removal that the store refused or could not decide, or whose answer did not come. Unless it is
 * {@linkplain #isRepeatable repeatable}, some of its keys may have been removed, and a repeated
 * call could remove them twice.
 */
public class RemovalFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Whether no key was removed. */
  private final boolean repeatable;

  /**
   * A removal that may have taken effect.
   *
   * @param message the fault, without any key
   * @param cause the exception of the store, null for none
   */
  public RemovalFailedException(String message, @Nullable Throwable cause) {
    this(message, cause, /* repeatable= */ false);
  }

  private RemovalFailedException(String message, @Nullable Throwable cause, boolean repeatable) {
    super(message, cause);
    this.repeatable = repeatable;
  }

  /**
   * {@return a removal that certainly removed no key}
   *
   * @param message the fault, without any key
   * @param cause the exception of the store, null for none
   */
  public static RemovalFailedException repeatable(String message, @Nullable Throwable cause) {
    return new RemovalFailedException(message, cause, /* repeatable= */ true);
  }

  /** {@return whether no key was removed, so that the same call may be made again} */
  public boolean isRepeatable() {
    return repeatable;
  }

  /**
   * {@return this failure, of a call that removed so many keys before it: repeatable only if it is
   * so already and none was removed}
   *
   * @param removed the number of keys that the call had removed
   */
  public RemovalFailedException after(int removed) {
    return removed == 0 || !repeatable
        ? this
        : new RemovalFailedException(String.valueOf(getMessage()), this);
  }
}
