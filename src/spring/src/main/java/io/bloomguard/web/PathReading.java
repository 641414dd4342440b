package io.bloomguard.web;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.util.StringUtils;

/** One reading of the path of a request, which is parsed when a rule may match it. */
final class PathReading {

  /** The most characters of an encoded path that a character of its text takes. */
  private static final int LONGEST_CODE = 9;

  private final String text;
  private final int slashes;
  private final Supplier<PathContainer> parser;
  private @Nullable PathContainer parsed;

  private PathReading(String text, int slashes, Supplier<PathContainer> parser) {
    this.text = text;
    this.slashes = slashes;
    this.parser = parser;
  }

  /** The path that handlers match; its text is all of the URI. */
  static PathReading ofHandlers(AskedRequest request) {
    return new PathReading(request.uri(), -1, request::path);
  }

  /** The reading of a text whose slashes alone separate segments. */
  static PathReading of(String text) {
    return new PathReading(
        text, StringUtils.countOccurrencesOf(text, "/"), () -> PathContainer.parsePath(text));
  }

  /** The path as it came, perhaps with more before and behind it. */
  String text() {
    return text;
  }

  /** False only if the path has another number of slashes; that is negative where it is open. */
  boolean mayHave(int number) {
    return number < 0 || slashes < 0 || number == slashes;
  }

  PathContainer parsed() {
    if (parsed == null) {
      parsed = parser.get();
    }
    return parsed;
  }

  /** Whether the decoded text, with a slash at its end, begins in a way. */
  boolean beginsWith(String prefix, boolean anyCase) {
    int end = Math.min(text.length(), prefix.length() * LONGEST_CODE);
    int code = text.lastIndexOf('%', end - 1);
    String encoded = text.substring(0, code >= 0 && code > end - 3 ? code : end);
    String decoded = StringUtils.uriDecode(encoded, StandardCharsets.UTF_8) + "/";
    return decoded.regionMatches(anyCase, 0, prefix, 0, prefix.length());
  }
}
