package io.bloomguard.guard.internal;

import io.bloomguard.guard.SubjectException;

/** The rule for a subject: 1 to 128 characters of {@code [A-Za-z0-9._~-]}. */
public final class Subjects {

  private static final int LONGEST = 128;

  private Subjects() {}

  /**
   * Accepts a subject.
   *
   * @param subject the text to judge
   * @throws SubjectException naming the rule, never the subject
   */
  public static void require(String subject) {
    boolean kept = !subject.isEmpty() && subject.length() <= LONGEST;
    for (int i = 0; kept && i < subject.length(); i++) {
      kept = isAllowed(subject.charAt(i));
    }
    if (!kept) {
      throw SubjectException.malformed();
    }
  }

  private static boolean isAllowed(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '.'
        || c == '_'
        || c == '~'
        || c == '-';
  }
}
