package io.bloomguard.it.support;

/** How much a test does: little in every build, more in a thorough one, all of it on request. */
public final class Form {

  private static final boolean THOROUGH = Boolean.getBoolean("test.thorough");
  private static final boolean FULL = Boolean.getBoolean("faults.full");

  private Form() {}

  public static int of(int shortForm, int thorough) {
    return of(shortForm, thorough, thorough);
  }

  public static int of(int shortForm, int thorough, int full) {
    return FULL ? full : THOROUGH ? thorough : shortForm;
  }
}
