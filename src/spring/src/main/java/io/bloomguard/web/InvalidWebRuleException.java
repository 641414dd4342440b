package io.bloomguard.web;

/** A web rule that could never apply as meant; the application does not start. */
public final class InvalidWebRuleException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** The rule and its fault, in a sentence. */
  private final String description;

  /** The remedy, in a sentence. */
  private final String action;

  InvalidWebRuleException(WebRule rule, String problem, String action) {
    super("The web rule for \"" + rule.pattern() + "\" " + problem + ". " + action);
    this.description = "The web rule for \"" + rule.pattern() + "\" " + problem;
    this.action = action;
  }

  /** Refuses a rule that has a fault. */
  static void when(boolean faulty, WebRule rule, String problem, String action) {
    if (faulty) {
      throw new InvalidWebRuleException(rule, problem, action);
    }
  }

  /** {@return the rule and its fault} */
  public String description() {
    return description;
  }

  /** {@return the remedy} */
  public String action() {
    return action;
  }
}
