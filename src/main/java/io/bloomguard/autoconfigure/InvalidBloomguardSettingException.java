package io.bloomguard.autoconfigure;

/** A setting that Bloomguard cannot work with. Its description names the value and the rule. */
public class InvalidBloomguardSettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String action;

  public InvalidBloomguardSettingException(String description, String action) {
    super(description);
    this.action = action;
  }

  InvalidBloomguardSettingException(String description, String action, Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  /** What to do about it. */
  public String action() {
    return action;
  }
}
