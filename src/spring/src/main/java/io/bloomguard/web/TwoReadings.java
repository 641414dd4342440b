package io.bloomguard.web;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.util.StringUtils;

/**
 * The two readings of the path of a request that another program serves: as it came, and made
 * plain.
 *
 * <p>As it came, slashes alone separate segments, and parameters are text of their segment. Made
 * plain, encoded slashes and backslashes separate segments too, dot segments are resolved, empty
 * segments, parameters and a slash at the end are left out, and the path ends before a {@code #}.
 * Both readings decode the text once: {@code %2534} is {@code %34}.
 *
 * <p>Each reading is a path that {@link PathContainer} splits and decodes in that way. The time to
 * make both is linear in the length of the path.
 */
final class TwoReadings {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /** The most characters of an encoded path that a character of its text takes. */
  private static final int LONGEST_CODE = 9;

  private final Reading asCame;
  private final Reading plain;
  private final boolean unclear;

  private TwoReadings(Reading asCame, Reading plain, boolean unclear) {
    this.asCame = asCame;
    this.plain = plain;
    this.unclear = unclear;
  }

  /**
   * The readings of a path.
   *
   * @param path the path as it came, without a query
   */
  static TwoReadings of(String path) {
    return isPlain(path) ? plain(path) : new Pass(path).readings();
  }

  private static TwoReadings plain(String path) {
    Reading only = new Reading(path);
    return new TwoReadings(only, only, false);
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

  Reading asCame() {
    return asCame;
  }

  Reading plain() {
    return plain;
  }

  boolean agree() {
    return asCame == plain;
  }

  /** Whether separators or dots are encoded, a backslash occurs, or the text has no decoding. */
  boolean isUnclear() {
    return unclear;
  }

  /** One reading of a path. */
  static final class Reading {

    private final String path;
    private final int slashes;
    private @Nullable PathContainer parsed;

    private Reading(String path) {
      this.path = path;
      this.slashes = StringUtils.countOccurrencesOf(path, "/");
    }

    String path() {
      return path;
    }

    int slashes() {
      return slashes;
    }

    PathContainer parsed() {
      if (parsed == null) {
        parsed = PathContainer.parsePath(path);
      }
      return parsed;
    }

    /** Whether the text of the path, with a slash at its end, begins in a way. */
    boolean beginsWith(String prefix, boolean anyCase) {
      int end = Math.min(path.length(), prefix.length() * LONGEST_CODE);
      int code = path.lastIndexOf('%', end - 1);
      String encoded = path.substring(0, code >= 0 && code > end - 3 ? code : end);
      String text = StringUtils.uriDecode(encoded, StandardCharsets.UTF_8) + "/";
      return text.regionMatches(anyCase, 0, prefix, 0, prefix.length());
    }
  }

  /** The pass over a path that makes both readings. */
  private static final class Pass {

    private final String path;
    private final char[] asCame;
    private final char[] plain;
    private int cameLength;
    private int plainLength;

    /** The place behind the separator of the plain reading's last segment. */
    private int segment = 1;

    private boolean inParameters;
    private boolean ended;
    private boolean unclear;

    /** The bytes that the character is short of, and the bounds of the next one. */
    private int missing;

    private int least;
    private int most;

    Pass(String path) {
      this.path = path;
      this.asCame = new char[3 * path.length()];
      this.plain = new char[3 * path.length() + 1];
      this.plain[plainLength++] = '/';
    }

    TwoReadings readings() {
      for (int i = 0; i < path.length(); i++) {
        char c = path.charAt(i);
        int code = c == '%' ? code(i) : -1;
        check(code < 0 ? c : code);
        if (code >= 0) {
          read(i, code);
          i += 2;
        } else if (c == ';' || c == '%' || c <= ' ' || c >= 0x7f && c <= 0xff) {
          // No URI has these as they are; servers take bytes for characters of ISO 8859-1.
          unclear |= c == '%';
          inParameters |= c == ';';
          readCode(HEX.toHighHexDigit(c), HEX.toLowHexDigit(c), true);
        } else {
          read(c);
        }
      }
      endSegment();
      String came = new String(asCame, 0, cameLength);
      String made = plainLength == 0 ? "/" : new String(plain, 0, plainLength);
      Reading first = new Reading(came);
      return new TwoReadings(
          first, made.equals(came) ? first : new Reading(made), unclear || missing > 0);
    }

    /** The byte that is encoded in a place; negative if none is. */
    private int code(int percent) {
      return percent + 2 < path.length()
              && HexFormat.isHexDigit(path.charAt(percent + 1))
              && HexFormat.isHexDigit(path.charAt(percent + 2))
          ? HexFormat.fromHexDigits(path, percent + 1, percent + 3)
          : -1;
    }

    private void read(int place, int code) {
      boolean separator = code == '/' || code == '\\';
      unclear |= separator || code == '.';
      readCode(path.charAt(place + 1), path.charAt(place + 2), !separator && code != '.');
      if (separator) {
        separate();
      } else if (code == '.') {
        readPlain('.');
      }
    }

    private void read(char c) {
      asCame[cameLength++] = c;
      ended |= c == '#';
      unclear |= c == '\\';
      if (c == '/' || c == '\\') {
        separate();
      } else {
        readPlain(c);
      }
    }

    /** Reads an encoded byte, which stays encoded in the plain path too if it stands for text. */
    private void readCode(char high, char low, boolean text) {
      asCame[cameLength++] = '%';
      asCame[cameLength++] = high;
      asCame[cameLength++] = low;
      if (text) {
        readPlain('%');
        readPlain(high);
        readPlain(low);
      }
    }

    private void readPlain(char c) {
      if (!inParameters && !ended) {
        plain[plainLength++] = c;
      }
    }

    private void separate() {
      if (!ended) {
        endSegment();
        plain[plainLength++] = '/';
        segment = plainLength;
        inParameters = false;
      }
    }

    /** Leaves out an empty segment and a dot segment, and for two dots the one before. */
    private void endSegment() {
      int length = plainLength - segment;
      boolean dots = length == 0 || plain[segment] == '.' && plain[plainLength - 1] == '.';
      if (length <= 2 && dots) {
        plainLength = segment - 1;
        if (length == 2) {
          while (plainLength > 0 && plain[--plainLength] != '/') {
            // to the slash before
          }
        }
      }
    }

    /** Notes a byte that is none of UTF-8 in its place (table 3-7 of the Unicode Standard). */
    private void check(int next) {
      if (missing > 0) {
        unclear |= next < least || next > most;
        missing--;
      } else if (next >= 0x80 && next <= 0xff) {
        unclear |= next < 0xc2 || next > 0xf4;
        missing = next < 0xe0 ? 1 : next < 0xf0 ? 2 : 3;
        least = next == 0xe0 ? 0xa0 : next == 0xf0 ? 0x90 : 0x80;
        most = next == 0xed ? 0x9f : next == 0xf4 ? 0x8f : 0xbf;
        return;
      }
      least = 0x80;
      most = 0xbf;
    }
  }
}
