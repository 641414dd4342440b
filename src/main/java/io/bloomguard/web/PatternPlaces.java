package io.bloomguard.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/** The segments of a rule's pattern, to find its key's place in the patterns of handlers. */
final class PatternPlaces {

  private static final String SPECIAL = "{*?\\";

  private final PathPatternParser parser;
  private final List<String> segments;
  private final String key;

  PatternPlaces(String pattern, String key, PathPatternParser parser) {
    this.parser = parser;
    this.segments = segments(pattern);
    this.key = key;
  }

  /**
   * The variable that stands in a handler's pattern where this one has its key; empty if something
   * else stands there, null if no path matches both patterns or the handler's has plain text there.
   */
  @Nullable String variableOf(String handler) {
    List<String> others = segments(handler);
    String found = "";
    for (int i = 0; ; i++) {
      if (i == segments.size() && i == others.size()) {
        return found;
      }
      String own = i < segments.size() ? segments.get(i) : null;
      String other = i < others.size() ? others.get(i) : null;
      if (takesMore(own) || takesMore(other)) {
        return own != null && own.equals(other) && isKey(own) ? key : found;
      }
      if (own == null || other == null || !meet(own, other)) {
        return null;
      }
      if (isKey(own)) {
        if (isPlain(other)) {
          return null;
        }
        String variable = own.equals(other) ? key : variable(other);
        found = variable(own).isEmpty() && !own.equals(other) ? "" : variable;
      }
    }
  }

  private boolean isKey(String segment) {
    return segment.contains("{" + key + "}")
        || segment.contains("{" + key + ":")
        || segment.equals("{*" + key + "}");
  }

  /** Whether some text matches both segments; two with variables are taken to meet. */
  private boolean meet(String one, String other) {
    if (isPlain(one)) {
      return isPlain(other)
          ? parser.isCaseSensitive() ? one.equals(other) : one.equalsIgnoreCase(other)
          : matches(other, one);
    }
    return !isPlain(other) || matches(one, other);
  }

  private boolean matches(String segment, String text) {
    return parser.parse("/" + segment).matches(PathContainer.parsePath("/" + text));
  }

  private static boolean isPlain(String segment) {
    return segment.chars().noneMatch(c -> SPECIAL.indexOf(c) >= 0);
  }

  private static boolean takesMore(@Nullable String segment) {
    return segment != null && (segment.equals("**") || segment.startsWith("{*"));
  }

  /** The name of a variable that is the whole segment; empty for anything else. */
  private static String variable(String segment) {
    int braces = 0;
    for (int i = 0; i < segment.length(); i++) {
      braces += segment.charAt(i) == '{' ? 1 : segment.charAt(i) == '}' ? -1 : 0;
      if (braces == 0 && i < segment.length() - 1) {
        return "";
      }
    }
    int colon = segment.indexOf(':');
    return segment.startsWith("{")
        ? segment.substring(1, colon < 0 ? segment.length() - 1 : colon)
        : "";
  }

  /** No variable's expression has a separator. */
  private static List<String> segments(String pattern) {
    return List.of(pattern.split("/", -1));
  }
}
