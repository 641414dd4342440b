package io.bloomguard.filter;

import java.text.Normalizer;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rule by which a filter holds canonical keys equal, as the database compares their column: a
 * folded text represents all equal keys.
 *
 * <p>A key is normalised, then its letters are folded, then it is normalised again, then it is
 * trimmed. Normalisation comes first because composed and decomposed letters must meet the same
 * fold, and again because a folded text need not be normal; trimming comes last because NFKC turns
 * other white space into spaces. Letters are folded one code point at a time by the simple mappings
 * of Unicode (those of {@link Locale#ROOT}), so that no letter depends on its neighbours. So
 * folding is idempotent. A number's decimal form is never changed.
 *
 * <p>Databases do not agree about letters that do not come back from upper and lower case, such as
 * the dotless i, the long s, the final sigma and the Kelvin sign. {@link #fold}, which decides
 * which keys share a value, leaves them as they are; {@link #widest}, which decides which keys are
 * possibly present, holds them equal to their upper and lower case.
 *
 * @param letterCase the folding of letters
 * @param trim the spaces (U+0020) at the ends that are removed
 * @param normalise the Unicode normalisation form
 */
public record KeyFolding(LetterCase letterCase, Trim trim, Normalise normalise) {

  /** Every key is equal to itself alone. */
  public static final KeyFolding EXACT =
      new KeyFolding(LetterCase.EXACT, Trim.NONE, Normalise.NONE);

  /**
   * The most rounds: a disputed letter may compose with a mark to another one, such as "dotless i,
   * dot".
   */
  private static final int MOST_ROUNDS = 3;

  private static final Pattern TEXT = Pattern.compile("([a-z]+)\\.([a-z]+)\\.([a-z]+)");

  /** The folding of letters. Lower and upper hold the same keys equal. */
  public enum LetterCase {
    /** Letters stay. */
    EXACT,
    /** Letters become lower-case. */
    LOWER,
    /** Letters become upper-case. */
    UPPER
  }

  /** The spaces that are removed. */
  public enum Trim {
    /** None. */
    NONE,
    /** The spaces at the end. */
    TRAILING,
    /** The spaces at the start and at the end. */
    BOTH
  }

  /** A Unicode normalisation form. */
  public enum Normalise {
    /** None. */
    NONE,
    /** Canonical composition: composed and decomposed letters are equal. */
    NFC,
    /** Compatibility composition: full-width and ordinary letters are equal too. */
    NFKC
  }

  /** {@return whether every key is equal to itself alone} */
  public boolean isExact() {
    return equals(EXACT);
  }

  /**
   * {@return the text of a canonical key everywhere but in the filter's bits: for values, null
   * entries, leases and barriers} It is the key itself if folding changes nothing.
   *
   * @param key a canonical key
   */
  public String fold(String key) {
    return changesNothing(key) ? key : folded(key, KeyFolding::comesBack);
  }

  /**
   * {@return the text whose hash is in the filter: the same for all keys that {@link #fold} makes
   * equal}
   *
   * @param key a canonical key
   */
  public String widest(String key) {
    if (changesNothing(key)) {
      return key;
    }
    String widest = fold(key);
    for (int round = 0; round < MOST_ROUNDS; round++) {
      String wider = folded(widest, letter -> true);
      if (wider.equals(widest)) {
        break;
      }
      widest = wider;
    }
    return widest;
  }

  /**
   * {@return a view of {@code hasher} that gives equal keys equal hashes}
   *
   * @param hasher the hash of the widest text of a key
   */
  public KeyHasher over(KeyHasher hasher) {
    return isExact() ? hasher : new FoldingHasher(hasher, this);
  }

  /**
   * {@return whether a key that is absent under this folding is absent under {@code other} too} The
   * comparison knows only that equal foldings are equal and that the exact one is the finest.
   *
   * @param other the folding to compare with
   */
  public boolean covers(KeyFolding other) {
    return other.isExact() || other.equals(this);
  }

  /** {@return the form in which fingerprints name it, such as {@code lower.trailing.none}} */
  public String text() {
    return (letterCase + "." + trim + "." + normalise).toLowerCase(Locale.ROOT);
  }

  /**
   * Reads the text that {@link #text} wrote.
   *
   * @param text the text, of this version
   * @return the folding of that text
   * @throws IllegalArgumentException for anything else
   */
  public static KeyFolding parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no folding of keys");
    }
    return new KeyFolding(
        LetterCase.valueOf(parts.group(1).toUpperCase(Locale.ROOT)),
        Trim.valueOf(parts.group(2).toUpperCase(Locale.ROOT)),
        Normalise.valueOf(parts.group(3).toUpperCase(Locale.ROOT)));
  }

  /**
   * {@return whether two keys of parts are equal only if their parts are} Trimming would reach the
   * ends of the whole text alone, and NFKC makes separators of other characters.
   */
  public boolean keepsParts() {
    return trim == Trim.NONE && normalise != Normalise.NFKC;
  }

  /**
   * {@return whether trimming makes a key empty}
   *
   * @param key the key as it was given
   */
  public boolean trimsAway(String key) {
    if (trim == Trim.NONE) {
      return false;
    }
    int i = 0;
    while (i < key.length() && key.charAt(i) == ' ') {
      i++;
    }
    return i == key.length();
  }

  /** The common case, without an allocation: ASCII that is folded already. */
  private boolean changesNothing(String key) {
    int length = key.length();
    if (isExact() || length == 0) {
      return true;
    }
    char first = letterCase == LetterCase.LOWER ? 'A' : 'a';
    int letters = letterCase == LetterCase.EXACT ? 0 : 26;
    for (int i = 0; i < length; i++) {
      char c = key.charAt(i);
      if (c >= 0x80 || (char) (c - first) < letters) {
        return false;
      }
    }
    return !(trim != Trim.NONE && key.charAt(length - 1) == ' '
        || trim == Trim.BOTH && key.charAt(0) == ' ');
  }

  private String folded(String key, IntPredicate which) {
    return trimmed(normal(letters(normal(key), which)));
  }

  private String normal(String key) {
    return switch (normalise) {
      case NONE -> key;
      case NFC -> Normalizer.normalize(key, Normalizer.Form.NFC);
      case NFKC -> Normalizer.normalize(key, Normalizer.Form.NFKC);
    };
  }

  private String letters(String key, IntPredicate which) {
    if (letterCase == LetterCase.EXACT) {
      return key;
    }
    StringBuilder folded = new StringBuilder(key.length());
    for (int i = 0; i < key.length(); ) {
      int letter = key.codePointAt(i);
      folded.appendCodePoint(which.test(letter) ? letter(letter) : letter);
      i += Character.charCount(letter);
    }
    return folded.toString();
  }

  private int letter(int point) {
    // To lower case and to upper case, so that all letters that share a case in either direction
    // become one.
    int upper = Character.toUpperCase(Character.toLowerCase(point));
    int lower = Character.toLowerCase(upper);
    return letterCase == LetterCase.LOWER ? lower : Character.toUpperCase(lower);
  }

  /** Whether a letter's two cases lead to each other. */
  private static boolean comesBack(int letter) {
    int lower = Character.toLowerCase(letter);
    int upper = Character.toUpperCase(letter);
    return Character.toLowerCase(upper) == lower && Character.toUpperCase(lower) == upper;
  }

  private String trimmed(String key) {
    int start = 0;
    int end = key.length();
    if (trim != Trim.NONE) {
      while (end > 0 && key.charAt(end - 1) == ' ') {
        end--;
      }
    }
    if (trim == Trim.BOTH) {
      while (start < end && key.charAt(start) == ' ') {
        start++;
      }
    }
    return key.substring(start, end);
  }
}
