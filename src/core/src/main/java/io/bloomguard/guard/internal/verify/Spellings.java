package io.bloomguard.guard.internal.verify;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyFolding.LetterCase;
import io.bloomguard.filter.KeyFolding.Normalise;
import io.bloomguard.filter.KeyFolding.Trim;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys of which a text may be another spelling, as conversions between a request and a column
 * make them: numbers with a sign, zeros, blanks or another base, text in other letters, UUIDs.
 */
final class Spellings {

  /** A longer key is no other spelling of a number, and costs no conversion. */
  private static final int LONGEST = 64;

  private static final Pattern DECIMAL =
      Pattern.compile(
          "([+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?)(.*)", Pattern.DOTALL);

  private static final Pattern BASED =
      Pattern.compile("([+-]?)(0[xX]|#|0[bB]|0[oO]?)([0-9a-fA-F]+)[lL]?");

  private static final Pattern WHOLE = Pattern.compile("0|-?[1-9][0-9]*");

  /** Accents, and characters without a width. */
  private static final Pattern MARKS = Pattern.compile("[\\p{M}\\p{Cf}]+");

  /** What conversions drop within a number. */
  private static final Pattern GAPS = Pattern.compile("[\\s\\p{Z}\\p{Cf}_]+");

  private static final Pattern LATIN =
      Pattern.compile(
          "LATIN (SMALL|CAPITAL) LETTER (SHARP S|(?:DOTLESS )?([A-Z]{1,2})(?: WITH .*)?)");

  /** The most keys of parts that one may stand for, and the most parts of such a key. */
  private static final int MOST = 1_000;

  private static final int MOST_PARTS = 8;

  private static final String[] NO_PARTS = {};

  private static final List<KeyFolding> FOLDINGS =
      Arrays.stream(LetterCase.values())
          .map(letters -> new KeyFolding(letters, Trim.BOTH, Normalise.NONE))
          .toList();

  private Spellings() {}

  /**
   * The keys that a text may stand for, without the text itself: those of a key of parts have one
   * of the plainer forms of each part.
   *
   * @param numberedPrefix whether a number may have text behind it, as MySQL and MariaDB allow
   */
  static List<String> of(String key, boolean numberedPrefix) {
    Set<String> all = plainer(key, numberedPrefix);
    List<String> joined = List.of("");
    String[] parts = key.split(":", -1);
    for (String part : parts.length > 1 && parts.length <= MOST_PARTS ? parts : NO_PARTS) {
      Set<String> forms = new LinkedHashSet<>(Set.of(part));
      plainer(part.replace("%3A", ":").replace("%25", "%"), numberedPrefix)
          .forEach(form -> forms.add(form.replace("%", "%25").replace(":", "%3A")));
      joined =
          joined.stream()
              .flatMap(start -> forms.stream().map(form -> start + ':' + form))
              .limit(MOST)
              .toList();
    }
    joined.forEach(text -> all.add(text.isEmpty() ? key : text.substring(1)));
    all.remove(key);
    // Some letters are many in a compatible form; such a text is no key of the filter.
    int longest = Math.max(LONGEST, key.length());
    return all.stream().filter(other -> !other.isEmpty() && other.length() <= longest).toList();
  }

  private static Set<String> plainer(String text, boolean numberedPrefix) {
    Set<String> all = new LinkedHashSet<>();
    String compatible = Normalizer.normalize(text, Normalizer.Form.NFKC);
    String plain = digits(compatible).strip();
    if (plain.length() <= LONGEST) {
      all.addAll(numbers(plain, numberedPrefix));
      all.addAll(numbers(GAPS.matcher(plain).replaceAll(""), numberedPrefix));
      all.addAll(uuids(plain));
    }
    String bare = MARKS.matcher(Normalizer.normalize(text, Normalizer.Form.NFKD)).replaceAll("");
    for (String form : List.of(text, compatible, bare, latin(bare, "ss"), latin(bare, "s"))) {
      FOLDINGS.forEach(folding -> all.add(folding.fold(form.strip())));
    }
    return all;
  }

  /** Latin letters without their strokes and hooks, as collations compare them. */
  private static String latin(String text, String sharp) {
    StringBuilder plain = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              Matcher letter =
                  LATIN.matcher(point < 0x80 ? "" : String.valueOf(Character.getName(point)));
              if (!letter.matches()) {
                plain.appendCodePoint(point);
              } else if (letter.group(3) == null) {
                plain.append(sharp);
              } else {
                boolean small = letter.group(1).equals("SMALL");
                plain.append(small ? letter.group(3).toLowerCase(Locale.ROOT) : letter.group(3));
              }
            });
    return plain.toString();
  }

  /**
   * The setting under which a key is not another spelling, or is no longer looked up.
   *
   * @param own the row's key, empty if no caller can ask for it
   */
  static String remedy(String filter, String key, String own) {
    String[] parts = key.split(":", -1);
    String[] ownParts = own.split(":", -1);
    if (parts.length > 1 && parts.length == ownParts.length) {
      int at = Arrays.mismatch(parts, ownParts);
      return remedy(filter, parts[at], ownParts[at]);
    }
    String property = "bloomguard.filters." + filter + ".keys.";
    if (WHOLE.matcher(own).matches()) {
      return "make it a number before the guard: a parameter of type long, 'type: long' of the"
          + " rule";
    }
    if (own.equalsIgnoreCase(key)) {
      return "set " + property + "case=lower";
    }
    if (own.strip().equals(key.strip())) {
      return "set " + property + "trim=trailing or both";
    }
    if (Normalizer.normalize(own, Normalizer.Form.NFKC)
        .equalsIgnoreCase(Normalizer.normalize(key, Normalizer.Form.NFKC))) {
      return "set " + property + "normalise, and .case if letters differ in it";
    }
    return "give the column a collation that tells the two apart, or set "
        + property
        + "case, .trim and .normalise as it compares";
  }

  /** The digits of every script in ASCII, as {@code Long.parseLong} reads them. */
  private static String digits(String text) {
    StringBuilder ascii = new StringBuilder(text.length());
    text.codePoints()
        .forEach(point -> ascii.appendCodePoint(Character.isDigit(point) ? digit(point) : point));
    return ascii.toString();
  }

  private static int digit(int point) {
    return '0' + Character.digit(point, 10);
  }

  private static List<String> numbers(String plain, boolean numberedPrefix) {
    List<String> numbers = new ArrayList<>();
    Matcher decimal = DECIMAL.matcher(plain);
    if (decimal.matches() && (numberedPrefix || isSuffix(decimal.group(2)))) {
      BigDecimal value = new BigDecimal(decimal.group(1));
      for (RoundingMode mode : List.of(RoundingMode.DOWN, RoundingMode.HALF_UP)) {
        numbers.add(value.setScale(0, mode).toBigInteger().toString());
      }
    }
    Matcher based = BASED.matcher(plain);
    if (based.matches()) {
      int base =
          switch (based.group(2).toLowerCase(Locale.ROOT)) {
            case "0x", "#" -> 16;
            case "0b" -> 2;
            default -> 8;
          };
      try {
        numbers.add(new BigInteger(based.group(1) + based.group(3), base).toString());
      } catch (NumberFormatException e) {
        return numbers; // digits of a larger base
      }
    }
    return numbers;
  }

  /** Nothing, or the type of a literal. */
  private static boolean isSuffix(String rest) {
    return rest.isEmpty() || rest.length() == 1 && "lLdDfF".contains(rest);
  }

  private static List<String> uuids(String plain) {
    List<String> all = new ArrayList<>();
    String compact = plain.replaceAll("[^0-9a-fA-F]", "").toLowerCase(Locale.ROOT);
    if (compact.length() == 32) {
      all.add(compact.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"));
    }
    try {
      all.add(UUID.fromString(plain).toString());
    } catch (IllegalArgumentException e) {
      return all;
    }
    return all;
  }
}
