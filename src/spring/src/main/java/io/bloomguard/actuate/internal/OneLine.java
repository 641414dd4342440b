package io.bloomguard.actuate.internal;

/** Text of others as it may stand in a line of the log. */
final class OneLine {

  private static final int LONGEST = 100;

  private OneLine() {}

  /** At most a hundred characters, with a {@code ?} for each that could end the line or hide. */
  static String of(String text) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), LONGEST); i++) {
      char c = text.charAt(i);
      boolean plain = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
      line.append(plain && c != '\u2028' && c != '\u2029' ? c : '?');
    }
    return line.toString();
  }
}
