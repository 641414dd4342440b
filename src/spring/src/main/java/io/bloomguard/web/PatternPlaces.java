package io.bloomguard.web;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/** The segments of a rule's pattern, to find its key's place in the patterns of handlers. */
record PatternPlaces(List<String> segments, String key, PathPatternParser parser) {

  /** A character that does not match itself alone. */
  private static final Pattern SPECIAL = Pattern.compile("[{*?\\\\]");

  private static final int NAME = 1;
  private static final int EXPRESSION = 2;

  /** A variable, whose expression may have braces of its own. */
  private static final Pattern VARIABLE =
      Pattern.compile("\\{\\*?([^:}]+)(?::((?:\\\\.|\\{[^}]*}|[^\\\\{}])*))?}");

  private static final Pattern SEGMENT = Pattern.compile("/((?:" + VARIABLE + "|[^/])*)");

  PatternPlaces(String pattern, String key, PathPatternParser parser) {
    this(segments(pattern), key, parser);
  }

  /** The names of a pattern's variables. */
  static Set<String> variables(String pattern) {
    return VARIABLE
        .matcher(pattern)
        .results()
        .map(variable -> variable.group(NAME))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The text with which all paths of a pattern begin. */
  static String beginning(String pattern) {
    return SPECIAL.split(pattern, 2)[0];
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
    String own = segments.get(place());
    if (own.equals(segment)) {
      return key;
    }
    return part(NAME, own).isEmpty() ? "" : part(NAME, segment);
  }

  /** Whether the key's variable has an expression that the handler's variable there lacks. */
  boolean isNarrowerThan(String handler) {
    String segment = opposite(handler);
    String own = part(EXPRESSION, segments.get(place()));
    return segment != null && !own.isEmpty() && !own.equals(part(EXPRESSION, segment));
  }

  /** Whether every path of a handler's pattern is one of this. */
  boolean covers(String handler) {
    List<String> others = segments(handler);
    int closed = closed(segments);
    return (closed < segments.size() ? closed <= others.size() : closed == others.size())
        && IntStream.range(0, closed).allMatch(i -> covers(segments.get(i), others.get(i)));
  }

  /** Whether a handler's pattern takes further segments behind the last one of this. */
  boolean endsBefore(String handler) {
    List<String> others = segments(handler);
    return isOpen(others, others.size() - 1) && !isOpen(segments, segments.size() - 1);
  }

  /**
   * What stands in a handler's pattern where this one has its key; null if no path matches both.
   */
  @Nullable String opposite(String handler) {
    List<String> others = segments(handler);
    int common = Math.min(closed(segments), closed(others));
    boolean open = isOpen(segments, common) || isOpen(others, common);
    int place = place();
    if (place < 0
        || !open && segments.size() != others.size()
        || !IntStream.range(0, common).allMatch(i -> meet(segments.get(i), others.get(i)))) {
      return null;
    }
    if (place < common) {
      return others.get(place);
    }
    return place == common && isOpen(segments, place)
        ? String.join("/", others.subList(common, others.size()))
        : "**";
  }

  /** The place of the segment with the key; negative if there is none. */
  private int place() {
    return IntStream.range(0, segments.size())
        .filter(i -> variables(segments.get(i)).contains(key))
        .findFirst()
        .orElse(-1);
  }

  private boolean covers(String own, String other) {
    String expression = part(EXPRESSION, own);
    return own.equals(other)
        || !isOpen(List.of(other), 0)
            && (isPlain(own)
                ? isPlain(other) && meet(own, other)
                : own.equals("*")
                    || !part(NAME, own).isEmpty()
                        && (expression.isEmpty() || expression.equals(part(EXPRESSION, other))));
  }

  /** Whether some text matches both segments; two with variables are taken to meet. */
  private boolean meet(String one, String other) {
    return one.equals(other)
        || !isPlain(one) && !isPlain(other)
        || isPlain(one) && matches(other, one)
        || isPlain(other) && matches(one, other);
  }

  private boolean matches(String segment, String text) {
    return parser.parse("/" + segment).matches(PathContainer.parsePath("/" + text));
  }

  private static boolean isPlain(String segment) {
    return !SPECIAL.matcher(segment).find();
  }

  /** The number of segments before the first that takes further ones. */
  private static int closed(List<String> segments) {
    return (int) IntStream.range(0, segments.size()).takeWhile(i -> !isOpen(segments, i)).count();
  }

  private static boolean isOpen(List<String> segments, int place) {
    return place < segments.size()
        && (segments.get(place).equals("**") || segments.get(place).startsWith("{*"));
  }

  /** A part of a variable that is the whole segment; empty for none. */
  private static String part(int group, String segment) {
    Matcher variable = VARIABLE.matcher(segment);
    boolean whole = variable.matches() && !segment.startsWith("{*");
    return whole && variable.group(group) != null ? variable.group(group) : "";
  }

  private static List<String> segments(String pattern) {
    return SEGMENT.matcher(pattern).results().map(segment -> segment.group(1)).toList();
  }
}
