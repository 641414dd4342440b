package io.bloomguard.it.attacks;

/** How much is done: the short form in every build, the full one on request. */
final class Form {

  static final boolean FULL = Boolean.getBoolean("faults.full");

  private Form() {}

  static int of(int shortForm, int full) {
    return FULL ? full : shortForm;
  }
}
