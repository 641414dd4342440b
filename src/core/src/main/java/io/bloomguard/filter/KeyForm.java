package io.bloomguard.filter;

/** The form in which a filter takes keys: any text, or numbers alone. */
public enum KeyForm {

  /** Any text. The default. */
  TEXT,

  /** The decimal form of a number of 64 bits. */
  LONG,

  /** The decimal form of a number of 32 bits. */
  INT;

  /**
   * {@return whether it takes a canonical key: any text, or a decimal number in its one form}
   *
   * @param key a canonical key
   */
  public boolean accepts(String key) {
    return switch (this) {
      case TEXT -> true;
      case LONG -> isDecimal(key, "9223372036854775807", "9223372036854775808");
      case INT -> isDecimal(key, "2147483647", "2147483648");
    };
  }

  /** {@return the accepted keys, for a message} */
  public String rule() {
    return this == INT
        ? "A key must be a decimal number of 32 bits, because its filter's funnel is int"
        : "A key must be a decimal number of 64 bits, because its filter's funnel is long";
  }

  /**
   * Whether a key is a decimal number without leading zeros or a plus sign, so that a number is one
   * key.
   */
  private static boolean isDecimal(String key, String most, String leastMagnitude) {
    boolean negative = !key.isEmpty() && key.charAt(0) == '-';
    int start = negative ? 1 : 0;
    int digits = key.length() - start;
    String bound = negative ? leastMagnitude : most;
    if (digits < 1 || digits > bound.length()) {
      return false;
    }
    for (int i = start; i < key.length(); i++) {
      if (key.charAt(i) < '0' || key.charAt(i) > '9') {
        return false;
      }
    }
    if (key.charAt(start) == '0') {
      return key.length() == 1;
    }
    return digits < bound.length() || isAtMost(key, start, bound);
  }

  /** Compares numbers with equally many digits. */
  private static boolean isAtMost(String key, int start, String bound) {
    for (int i = 0; i < bound.length(); i++) {
      int difference = key.charAt(start + i) - bound.charAt(i);
      if (difference != 0) {
        return difference < 0;
      }
    }
    return true;
  }
}
