package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Distinct words of 4 to 12 lower-case letters, always the same. */
final class Words {

  private Words() {}

  /** So many; two lists of one call have no word in common with each other. */
  static List<List<String>> lists(int lists, int each) {
    Random random = new Random(1);
    Set<String> words = new LinkedHashSet<>(2 * lists * each);
    while (words.size() < lists * each) {
      byte[] word = new byte[4 + random.nextInt(9)];
      for (int letter = 0; letter < word.length; letter++) {
        word[letter] = (byte) ('a' + random.nextInt(26));
      }
      words.add(new String(word, US_ASCII));
    }
    List<String> all = new ArrayList<>(words);
    List<List<String>> parts = new ArrayList<>();
    for (int i = 0; i < lists; i++) {
      parts.add(all.subList(i * each, (i + 1) * each));
    }
    return parts;
  }
}
