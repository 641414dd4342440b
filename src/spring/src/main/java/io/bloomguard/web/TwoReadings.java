package io.bloomguard.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.springframework.util.StringUtils;

/**
 * The two readings of the path of a request that another program serves: as it came, and made
 * plain.
 *
 * <p>As it came, slashes alone separate segments, and parameters are text of their segment. Made
 * plain, encoded slashes and backslashes separate segments too, dot segments are resolved, empty
 * segments, parameters and a slash at the end are left out, and the path ends before a {@code #}.
 * Both readings decode the text once: {@code %2534} is {@code %34}. The time to make both is linear
 * in the length of the path.
 *
 * @param isUnclear whether separators or dots are encoded, a backslash occurs, or the text has no
 *     decoding
 */
record TwoReadings(PathReading asCame, PathReading plain, boolean isUnclear) {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();
  private static final Pattern SEPARATOR = Pattern.compile("%2[fF]|%5[cC]|\\\\");
  private static final Pattern DOT = Pattern.compile("%2[eE]");
  private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");
  private static final String NO_CODE = "%(?![0-9a-fA-F]{2})";

  /** Stands in decoded text for bytes that are no UTF-8. */
  private static final char NO_TEXT = '\uFFFD';

  private static final Pattern UNCLEAR = Pattern.compile(SEPARATOR + "|" + DOT + "|" + NO_CODE);

  /** No URI has these as they are; servers take bytes for characters of ISO 8859-1. */
  private static final Pattern UNENCODED = Pattern.compile("[\\x00-\\x20;\\x7f-\\xff]|" + NO_CODE);

  /**
   * The readings of a path.
   *
   * @param path the path as it came
   */
  static TwoReadings of(PathReading path) {
    String text = path.path();
    if (isPlain(text)) {
      return new TwoReadings(path, path, false);
    }
    String plain = encoded(resolved(text));
    PathReading came = new PathReading(encoded(text));
    return new TwoReadings(
        came,
        plain.equals(came.text()) ? came : new PathReading(plain),
        UNCLEAR.matcher(text).find()
            || StringUtils.uriDecode(came.text(), UTF_8).indexOf(NO_TEXT) >= 0);
  }

  /** Whether both readings of a path are the path itself, as those of most paths. */
  private static boolean isPlain(String path) {
    char before = 0;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c <= ' '
          || c >= 0x7f
          || "%;\\#".indexOf(c) >= 0
          || before == '/' && (c == '/' || c == '.')) {
        return false;
      }
      before = c;
    }
    return before != '/' || path.length() == 1;
  }

  boolean agree() {
    return asCame == plain;
  }

  private static String encoded(String path) {
    return UNENCODED
        .matcher(path)
        .replaceAll(one -> "%" + HEX.toHexDigits((byte) one.group().charAt(0)));
  }

  private static String resolved(String path) {
    int end = path.indexOf('#');
    String text = SEPARATOR.matcher(end < 0 ? path : path.substring(0, end)).replaceAll("/");
    text = DOT.matcher(PARAMETERS.matcher(text).replaceAll("")).replaceAll(".");
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : text.split("/")) {
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        segments.add(segment);
      }
    }
    return "/" + String.join("/", segments);
  }
}
