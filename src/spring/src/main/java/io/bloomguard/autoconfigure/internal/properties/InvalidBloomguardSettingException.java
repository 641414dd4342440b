package io.bloomguard.autoconfigure.internal.properties;

/** A setting that Bloomguard cannot work with. Its description names the value and the rule. */
public class InvalidBloomguardSettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** The remedy, in a sentence. */
  private final String action;

  /**
   * A refused setting.
   *
   * @param description the value and the rule that it breaks, in a sentence
   * @param action the remedy, in a sentence
   */
  public InvalidBloomguardSettingException(String description, String action) {
    super(description);
    this.action = action;
  }

  public InvalidBloomguardSettingException(String description, String action, Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  /** {@return what to do about it} */
  public String action() {
    return action;
  }
}
