package io.bloomguard.filter.internal;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyForm;
import org.jspecify.annotations.Nullable;

/**
 * The rules that a canonical key must keep to be looked up: not empty, not too long, without
 * control characters (C0, DEL, C1) and without unpaired surrogates; and the folding by which keys
 * are equal.
 *
 * <p>The folded key must keep the rules too, since folding may lengthen a key or make it empty; and
 * a filter of numbers takes only numbers.
 *
 * @param maxLength the longest key in bytes of UTF-8, 1 to 65536
 * @param folding the folding of keys
 * @param form the form in which the filter takes keys
 */
public record KeyRules(int maxLength, KeyFolding folding, KeyForm form) {

  private static final int LONGEST = 65_536;

  /** The digits of {@code Long.MIN_VALUE} and its sign. */
  private static final int LONGEST_NUMBER = 20;

  private static final char FIRST_PRINTABLE = 0x20;
  private static final char PRINTABLES = 0x7f - FIRST_PRINTABLE;

  /**
   * Checks the bounds of the length.
   *
   * @param maxLength the longest key in bytes of UTF-8, 1 to 65536
   * @param folding the folding of keys
   * @param form the form in which the filter takes keys
   * @throws IllegalArgumentException if the length is out of bounds
   */
  public KeyRules {
    if (maxLength < 1 || maxLength > LONGEST) {
      throw new IllegalArgumentException(
          "The maximum key length is " + maxLength + ", but must be 1 to " + LONGEST + " bytes");
    }
  }

  /**
   * Rules of a filter that takes any text.
   *
   * @param maxLength the longest key in bytes of UTF-8, 1 to 65536
   * @param folding the folding of keys
   */
  public KeyRules(int maxLength, KeyFolding folding) {
    this(maxLength, folding, KeyForm.TEXT);
  }

  /**
   * Rules under which every key is equal to itself alone.
   *
   * @param maxLength the longest key in bytes of UTF-8, 1 to 65536
   */
  public KeyRules(int maxLength) {
    this(maxLength, KeyFolding.EXACT);
  }

  /**
   * {@return the same rules with another folding}
   *
   * @param other the folding in place of {@link #folding}
   */
  public KeyRules with(KeyFolding other) {
    return new KeyRules(maxLength, other, form);
  }

  /**
   * {@return the same rules with another form of keys}
   *
   * @param other the form in place of {@link #form}
   */
  public KeyRules with(KeyForm other) {
    return new KeyRules(maxLength, folding, other);
  }

  /**
   * {@return the text of a canonical key everywhere but in the filter's bits}
   *
   * @param canonical a canonical key, which need not keep the rules
   */
  public String fold(String canonical) {
    return folding.fold(canonical);
  }

  /**
   * Accepts a key or throws.
   *
   * @param canonical a canonical key
   * @throws InvalidKeyException naming the rule, never the key
   */
  public void require(String canonical) {
    String violation = violation(canonical);
    if (violation != null) {
      throw new InvalidKeyException(violation);
    }
  }

  /**
   * {@return whether a key keeps the rules}
   *
   * @param canonical a canonical key
   */
  public boolean accepts(String canonical) {
    return violation(canonical) == null;
  }

  /** {@return whether the decimal form of every {@code long} keeps the rules} */
  public boolean acceptsEveryNumber() {
    return maxLength >= LONGEST_NUMBER && form != KeyForm.INT;
  }

  private @Nullable String violation(String key) {
    String violation = violationOfText(key);
    if (violation != null || form == KeyForm.TEXT) {
      return violation;
    }
    return form.accepts(folding.widest(key)) ? null : form.rule();
  }

  private @Nullable String violationOfText(String key) {
    if (isShortPrintableAscii(key)) {
      // The fold of ASCII text is never longer.
      return folding.trimsAway(key) ? "A key must not be empty once it is trimmed" : null;
    }
    String violation = violationOfAny(key);
    if (violation != null || folding.isExact()) {
      return violation;
    }
    violation = violationOfAny(folding.fold(key));
    return violation == null ? null : violation + ", folded as its filter's keys are";
  }

  /** The common case, with one comparison for each character. */
  private boolean isShortPrintableAscii(String key) {
    int length = key.length();
    if (length == 0 || length > maxLength) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((char) (key.charAt(i) - FIRST_PRINTABLE) >= PRINTABLES) {
        return false;
      }
    }
    return true;
  }

  private @Nullable String violationOfAny(String key) {
    if (key.isEmpty()) {
      return "A key must not be empty";
    }
    int length = key.length();
    long bytes = length;
    for (int i = 0; i < length; i++) {
      char c = key.charAt(i);
      if (c < 0x80) {
        if (c < 0x20 || c == 0x7f) {
          return "A key must have no control characters; this one has one at index " + i;
        }
      } else if (c < 0xa0) {
        return "A key must have no control characters; this one has one at index " + i;
      } else if (c < 0x800) {
        bytes += 1;
      } else if (!Character.isSurrogate(c)) {
        bytes += 2;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < length
          && Character.isLowSurrogate(key.charAt(i + 1))) {
        // Two chars, four bytes: two more than the chars already counted.
        bytes += 2;
        i++;
      } else {
        return "A key must be well-formed text; this one has an unpaired surrogate at index " + i;
      }
    }
    if (bytes > maxLength) {
      return "A key must be at most "
          + maxLength
          + " bytes of UTF-8; this one has "
          + bytes
          + " bytes";
    }
    return null;
  }
}
