package io.bloomguard.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/** The segments of a rule's pattern, to find its key's place in the patterns of handlers. */
record PatternPlaces(List<String> segments, String key, PathPatternParser parser) {

  private static final String SPECIAL = "{*?\\";

  PatternPlaces(String pattern, String key, PathPatternParser parser) {
    this(segments(pattern), key, parser);
  }

  /**
   * The variable that stands in a handler's pattern where this one has its key; empty if something
   * else stands there, null if no path matches both patterns or the handler's has plain text there.
   */
  @Nullable String variableOf(String handler) {
    String segment = opposite(handler);
    if (segment == null || isPlain(segment)) {
      return null;
    }
    String own = keySegment();
    if (own.equals(segment)) {
      return key;
    }
    return variable(own).isEmpty() ? "" : variable(segment);
  }

  /** Whether the key's variable has an expression that the handler's variable there lacks. */
  boolean isNarrowerThan(String handler) {
    String segment = opposite(handler);
    String own = expression(keySegment());
    return segment != null && !own.isEmpty() && !own.equals(expression(segment));
  }

  /** Whether every path of a handler's pattern is one of this. */
  boolean covers(String handler) {
    List<String> others = segments(handler);
    for (int i = 0; i < segments.size(); i++) {
      String own = segments.get(i);
      if (takesMore(own)) {
        return true;
      }
      if (i == others.size() || takesMore(others.get(i)) || !covers(own, others.get(i))) {
        return false;
      }
    }
    return segments.size() == others.size();
  }

  /** Whether a handler's pattern takes further segments behind the last one of this. */
  boolean endsBefore(String handler) {
    List<String> others = segments(handler);
    return takesMore(others.get(others.size() - 1))
        && !takesMore(segments.get(segments.size() - 1));
  }

  /** The number of slashes of the paths that match a pattern; negative if that is open. */
  static int slashes(String pattern) {
    List<String> segments = segments(pattern);
    return segments.stream().anyMatch(PatternPlaces::takesMore) ? -1 : segments.size() - 1;
  }

  private boolean covers(String own, String other) {
    return own.equals(other)
        || (isPlain(own)
            ? isPlain(other) && meet(own, other)
            : own.equals("*")
                || isVariable(own)
                    && (expression(own).isEmpty() || expression(own).equals(expression(other))));
  }

  /**
   * What stands in a handler's pattern where this one has its key; null if no path matches both.
   */
  @Nullable String opposite(String handler) {
    List<String> others = segments(handler);
    String found = null;
    for (int i = 0; i < segments.size() || i < others.size(); i++) {
      String own = i < segments.size() ? segments.get(i) : null;
      String other = i < others.size() ? others.get(i) : null;
      if (takesMore(own) || takesMore(other)) {
        if (found != null || !isKey(own)) {
          return found == null ? "**" : found;
        }
        return String.join("/", others.subList(Math.min(i, others.size()), others.size()));
      }
      if (own == null || other == null || !meet(own, other)) {
        return null;
      }
      found = isKey(own) ? other : found;
    }
    return found;
  }

  private String keySegment() {
    return segments.stream().filter(this::isKey).findFirst().orElse("");
  }

  private boolean isKey(@Nullable String segment) {
    return segment != null
        && (segment.contains("{" + key + "}")
            || segment.contains("{" + key + ":")
            || segment.equals("{*" + key + "}"));
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
    return segment.chars().allMatch(PatternPlaces::isPlain);
  }

  /** Whether a character of a pattern matches itself alone. */
  static boolean isPlain(int c) {
    return SPECIAL.indexOf(c) < 0;
  }

  private static boolean takesMore(@Nullable String segment) {
    return segment != null && (segment.equals("**") || segment.startsWith("{*"));
  }

  /** The name of a variable that is the whole segment; empty for anything else. */
  private static String variable(String segment) {
    return isVariable(segment) ? segment.substring(1, segment.length() - 1).split(":", 2)[0] : "";
  }

  /** The expression of a variable that is the whole segment; empty if it takes any text. */
  private static String expression(String segment) {
    int colon = segment.indexOf(':');
    return isVariable(segment) && colon >= 0 ? segment.substring(colon + 1) : "";
  }

  private static boolean isVariable(String segment) {
    return segment.startsWith("{")
        && !segment.startsWith("{*")
        && end(segment, 0) == segment.length() - 1;
  }

  /** The names of a pattern's variables. */
  static Set<String> variables(String pattern) {
    Set<String> names = new TreeSet<>();
    for (int i = pattern.indexOf('{'); i >= 0; i = pattern.indexOf('{', end(pattern, i))) {
      int name = pattern.startsWith("*", i + 1) ? i + 2 : i + 1;
      names.add(pattern.substring(name, end(pattern, i)).split(":", 2)[0]);
    }
    return names;
  }

  /** The place of the brace that closes that one: an expression may have braces of its own. */
  private static int end(String pattern, int brace) {
    int depth = 0;
    for (int i = brace; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\') {
        i++;
      } else {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      }
      if (depth == 0) {
        return i;
      }
    }
    return pattern.length() - 1;
  }

  /** The texts between separators: one with a backslash is part of a variable's expression. */
  private static List<String> segments(String pattern) {
    List<String> segments = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < pattern.length(); i++) {
      if (pattern.charAt(i) == '{') {
        i = end(pattern, i);
      } else if (pattern.charAt(i) == '/') {
        segments.add(pattern.substring(start, i));
        start = i + 1;
      }
    }
    segments.add(pattern.substring(start));
    return segments;
  }
}
