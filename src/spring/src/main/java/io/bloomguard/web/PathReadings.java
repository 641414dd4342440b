package io.bloomguard.web;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * All ways in which a proxy and the program behind it may read one path: encoded slashes and
 * backslashes may separate segments or not, empty segments, dot segments and a slash at the end may
 * count or not, and so may the parameters of a segment.
 *
 * <p>A path is decoded once, as all of them do it: {@code %2534} is {@code %34}.
 */
final class PathReadings {

  /** One bit for each of the differences. */
  private static final int WAYS = 1 << 5;

  private static final Pattern ENCODED_SLASH =
      Pattern.compile("%2f|%5c|\\\\", Pattern.CASE_INSENSITIVE);
  private static final Pattern SLASHES = Pattern.compile("/{2,}");
  private static final Pattern ENCODED_DOT = Pattern.compile("%2e", Pattern.CASE_INSENSITIVE);

  /** What one of the differences is about. */
  private static final Pattern MARK =
      Pattern.compile("//|/\\.|/$|[;\\\\]|%2f|%5c|%2e", Pattern.CASE_INSENSITIVE);

  private PathReadings() {}

  /**
   * The readings of a path, first the path itself.
   *
   * @param path the path as it came, without a query
   */
  static Set<String> of(String path) {
    String ascii = encoded(path);
    Set<String> readings = new LinkedHashSet<>();
    readings.add(ascii);
    if (MARK.matcher(ascii).find()) {
      for (int way = 1; way < WAYS; way++) {
        readings.add(read(ascii, way));
      }
    }
    return readings;
  }

  private static String read(String path, int way) {
    String read = path;
    if ((way & 1) != 0) {
      read = ENCODED_SLASH.matcher(read).replaceAll("/");
    }
    if ((way & 2) != 0) {
      read = SLASHES.matcher(read).replaceAll("/");
    }
    if ((way & 4) != 0) {
      read = withoutDots(read);
    }
    if ((way & 8) != 0 && read.length() > 1 && read.endsWith("/")) {
      read = read.substring(0, read.length() - 1);
    }
    return (way & 16) != 0 ? read.replace(";", "%3B") : read;
  }

  private static String withoutDots(String path) {
    Deque<String> kept = new ArrayDeque<>();
    boolean open = false;
    for (String segment : path.substring(1).split("/", -1)) {
      String name = ENCODED_DOT.matcher(segment.split(";", 2)[0]).replaceAll(".");
      open = name.equals(".") || name.equals("..");
      if (!open) {
        kept.addLast(segment);
      } else if (name.equals("..") && !kept.isEmpty()) {
        kept.removeLast();
      }
    }
    return "/" + String.join("/", kept) + (open && !kept.isEmpty() ? "/" : "");
  }

  /** Encodes the bytes that no URI has, which servers take for characters of ISO 8859-1. */
  private static String encoded(String path) {
    if (path.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      return path;
    }
    StringBuilder encoded = new StringBuilder();
    path.chars()
        .forEach(
            c -> {
              if (c > ' ' && c < 0x7f) {
                encoded.append((char) c);
              } else {
                encoded.append(String.format(Locale.ROOT, "%%%02X", c & 0xff));
              }
            });
    return encoded.toString();
  }
}
