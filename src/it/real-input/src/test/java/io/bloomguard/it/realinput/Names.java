package io.bloomguard.it.realinput;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Real package names, and names of the same kind that never were. */
final class Names {

  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

  private Names() {}

  /** All real names, in the order of their list. */
  static List<String> real() throws IOException {
    try (InputStream list = Names.class.getResourceAsStream("/package-names.txt")) {
      return new String(list.readAllBytes(), UTF_8).lines().toList();
    }
  }

  /** Distinct names, each a real one with another ending, that are not in {@code real}. */
  static List<String> absent(List<String> real, int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Set<String> taken = new HashSet<>(real);
    List<String> absent = new ArrayList<>(count);
    while (absent.size() < count) {
      String name = real.get(random.nextInt(real.size())) + ending(random);
      if (taken.add(name)) {
        absent.add(name);
      }
    }
    return absent;
  }

  private static String ending(SplittableRandom random) {
    StringBuilder ending = new StringBuilder();
    int length = random.nextInt(1, 9);
    for (int i = 0; i < length; i++) {
      ending.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return ending.toString();
  }
}
