package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * A setting, an annotation or a rule cannot be applied as written; the application does not start.
 */
public class StartRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What is refused and its fault, in a sentence. */
  private final String description;

  /** The remedy, in a sentence. */
  private final String action;

  /**
   * The refusal of a start.
   *
   * @param description what is refused and its fault, in a sentence
   * @param action the remedy, in a sentence
   */
  public StartRefusedException(String description, String action) {
    this(description, action, null);
  }

  /**
   * The refusal of a start that another exception has shown.
   *
   * @param description what is refused and its fault, in a sentence
   * @param action the remedy, in a sentence
   * @param cause the exception, null for none
   */
  public StartRefusedException(String description, String action, @Nullable Throwable cause) {
    super(description + ". " + action, cause);
    this.description = description;
    this.action = action;
  }

  /** {@return what is refused and its fault} */
  public String description() {
    return description;
  }

  /** {@return the remedy} */
  public String action() {
    return action;
  }
}
