package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.bloomguard.it.support.Program;

/**
 * The programs that tests need. Without one of them a test is left out, or fails where {@code
 * monitoring.required} says so.
 */
final class Required {

  private Required() {}

  /** The program of that name on the path. */
  static Program program(String name, String debianPackage) {
    return Program.find(name)
        .orElseGet(
            () -> {
              missing(name + " is not on the path (Debian: apt-get install " + debianPackage + ")");
              throw new AssertionError();
            });
  }

  /** Prints what is missing, and leaves the test out or fails it. */
  static void missing(String what) {
    System.out.println("RESULT left out: " + what);
    if (Boolean.getBoolean("monitoring.required")) {
      fail(what);
    }
    abort(what);
  }
}
