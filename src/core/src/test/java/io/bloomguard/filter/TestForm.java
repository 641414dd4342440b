package io.bloomguard.filter;

/**
 * How much a test with the tag {@code thorough} does: little in every build, all of it under the
 * profile of that name.
 */
public final class TestForm {

  public static final boolean THOROUGH = Boolean.getBoolean("test.thorough");

  private TestForm() {}

  public static int of(int shortForm, int thorough) {
    return THOROUGH ? thorough : shortForm;
  }
}
