package io.bloomguard.guard;

/** A {@code @BloomKey} that cannot be applied as written; the application does not start. */
public final class EntityKeyException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /** The entity and its fault, in a sentence. */
  private final String description;

  /** The remedy, in a sentence. */
  private final String action;

  /**
   * The refusal of an annotation.
   *
   * @param entity the class of the entity
   * @param problem the fault of its annotation, as the rest of a sentence about the entity
   * @param action the remedy
   */
  public EntityKeyException(String entity, String problem, String action) {
    super("@BloomKey on " + entity + " " + problem + ". " + action);
    this.description = "@BloomKey on " + entity + " " + problem;
    this.action = action;
  }

  /** {@return the entity and its fault} */
  public String description() {
    return description;
  }

  /** {@return the remedy} */
  public String action() {
    return action;
  }
}
