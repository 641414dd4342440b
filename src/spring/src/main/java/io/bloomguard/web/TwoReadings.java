package io.bloomguard.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
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
 * <p>Programs that resolve dot segments before they decode, or leave out parameters and empty
 * segments at another moment, read yet other paths. Those are made of pieces of this one.
 *
 * @param isUnclear whether separators or dots are encoded, a backslash occurs, or the text has no
 *     decoding
 * @param isCut whether separators stand in parameters, encoded, or behind a {@code #}, so that what
 *     is left out ends before or behind them
 * @param pieces the texts between separators of any kind, in their order, if the path depends on
 *     the order of these steps; else empty
 */
record TwoReadings(
    PathReading asCame, PathReading plain, boolean isUnclear, boolean isCut, List<String> pieces) {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();
  private static final Pattern SEPARATOR = Pattern.compile("%2[fF]|%5[cC]|\\\\");
  private static final Pattern DOT = Pattern.compile("%2[eE]");
  private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");

  /** What one program leaves out, or decodes, and another takes for a segment to go back from. */
  private static final Pattern STEPS = Pattern.compile("//|[;#]");

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
      return new TwoReadings(path, path, false, false, List.of());
    }
    String plain = encoded(resolved(text));
    PathReading came = new PathReading(encoded(text));
    boolean unclear =
        UNCLEAR.matcher(text).find()
            || StringUtils.uriDecode(came.text(), UTF_8).indexOf(NO_TEXT) >= 0;
    int end = text.indexOf('#');
    boolean cut =
        end >= 0 && (text.indexOf('/', end) >= 0 || SEPARATOR.matcher(text).find(end))
            || PARAMETERS
                .matcher(text)
                .results()
                .anyMatch(one -> SEPARATOR.matcher(one.group()).find());
    // What stands behind a # may go first, last or not at all.
    List<String> pieces = segments(text.replace('#', '/'));
    boolean back = pieces.contains("..") && (unclear || STEPS.matcher(text).find());
    return new TwoReadings(
        came,
        plain.equals(came.text()) ? came : new PathReading(plain),
        unclear,
        cut,
        cut || back
            ? pieces.stream().map(one -> StringUtils.uriDecode(encoded(one), UTF_8)).toList()
            : List.of());
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
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : segments(end < 0 ? path : path.substring(0, end))) {
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        segments.add(segment);
      }
    }
    return "/" + String.join("/", segments);
  }

  private static List<String> segments(String path) {
    String text = SEPARATOR.matcher(path).replaceAll("/");
    return List.of(DOT.matcher(PARAMETERS.matcher(text).replaceAll("")).replaceAll(".").split("/"));
  }
}
