package io.bloomguard.filter;

import java.util.SplittableRandom;

/** Seeded random text over the planes of Unicode. */
public final class RandomKeys {

  private RandomKeys() {}

  /** Well-formed text of {@code length} code points, each text from one of several alphabets. */
  public static String text(SplittableRandom random, int length) {
    int alphabet = random.nextInt(5);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(codePoint(random, alphabet));
    }
    return text.toString();
  }

  private static int codePoint(SplittableRandom random, int alphabet) {
    return switch (alphabet) {
      case 0 -> random.nextInt(0x20, 0x7f);
      case 1 -> random.nextInt(0, 0x100);
      case 2 -> random.nextInt(0, 0x800);
      // The low bytes are those of ASCII: what drops high bytes takes these for other keys.
      case 3 -> 0x4e00 + random.nextInt(0x20, 0x7f);
      default -> random.nextInt(8) == 0 ? random.nextInt(0x10000, 0x110000) : 'a';
    };
  }
}
