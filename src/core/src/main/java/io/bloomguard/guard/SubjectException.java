package io.bloomguard.guard;

/**
 * A filter by subject was asked without a subject, another filter with one, or a subject breaks the
 * rule.
 */
public class SubjectException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private SubjectException(String message) {
    super(message);
  }

  /**
   * {@return the refusal of a call without a subject, for a filter by subject}
   *
   * @param filter the filter's name
   */
  public static SubjectException missing(String filter) {
    return new SubjectException(
        "Filter '"
            + filter
            + "' has a filter for each subject (per-subject), so it is asked with one: by"
            + " guards.guard(\"%1$s\", subject), or over HTTP with the field 'subject'; annotations and"
                .formatted(filter)
            + " web rules have none");
  }

  /**
   * {@return the refusal of a call with a subject, for another filter}
   *
   * @param filter the filter's name
   */
  public static SubjectException unexpected(String filter) {
    return new SubjectException(
        ("Filter '%s' has no filters by subject; those are made by"
                + " bloomguard.filters.%s.per-subject")
            .formatted(filter, filter));
  }

  /** {@return the refusal of a subject that breaks the rule; it does not repeat the subject} */
  public static SubjectException malformed() {
    return new SubjectException("A subject must be 1 to 128 characters of [A-Za-z0-9._~-]");
  }
}
