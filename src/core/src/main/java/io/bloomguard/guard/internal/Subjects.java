package io.bloomguard.guard.internal;

import io.bloomguard.guard.SubjectException;
import java.util.regex.Pattern;

/** The rule for a subject: 1 to 128 characters of {@code [A-Za-z0-9._~-]}. */
public final class Subjects {

  private static final Pattern RULE = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  private Subjects() {}

  /**
   * Accepts a subject.
   *
   * @param subject the text to judge
   * @throws SubjectException naming the rule, never the subject
   */
  public static void require(String subject) {
    if (!RULE.matcher(subject).matches()) {
      throw SubjectException.malformed();
    }
  }
}
