package io.bloomguard.bench;

/**
 * Whether this run measures, or only sees that every benchmark runs: {@code -Dbench.short=true}.
 */
final class BenchForm {

  private static final boolean SHORT = Boolean.getBoolean("bench.short");

  private BenchForm() {}

  /** Whether sizes and times are cut down, so that figures mean nothing. */
  static boolean isShort() {
    return SHORT;
  }

  /** {@code full}, or {@code small} in the short form. */
  static int size(int full, int small) {
    return SHORT ? small : full;
  }
}
