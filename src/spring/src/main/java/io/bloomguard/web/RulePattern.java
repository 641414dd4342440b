package io.bloomguard.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.springframework.http.server.PathContainer;
import org.springframework.util.StringUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The pattern of a rule, as the readings of paths match it.
 *
 * @param plain without the slashes that no plain path has
 * @param prefix the plain text before the first variable
 * @param known a part of each URI without encoded characters and parameters that matches
 */
record RulePattern(
    PathPatternParser parser, PathPattern asCame, PathPattern plain, String prefix, String known) {

  static RulePattern of(String pattern, PathPatternParser parser) {
    String text = parser.initFullPathPattern(pattern);
    String plain = text.replaceAll("/+(?=/|$)", "");
    String prefix = PatternPlaces.beginning(plain);
    boolean itself =
        parser.isCaseSensitive()
            && parser.getPathOptions() == PathContainer.Options.HTTP_PATH
            && !text.contains("//");
    // Without the separator: the part behind it may match nothing, as in /api/{*rest}.
    String known = itself ? prefix.substring(0, Math.max(0, prefix.lastIndexOf('/'))) : "";
    return new RulePattern(parser, parser.parse(text), parser.parse(plain), prefix, known);
  }

  /** The pattern as handlers write it. */
  String text() {
    return asCame.getPatternString();
  }

  /** The pattern's segments, with the place of one of its variables. */
  PatternPlaces places(String variable) {
    return new PatternPlaces(text(), variable, parser);
  }

  /**
   * False only if the pattern cannot match a request of that URI, which rules out most requests
   * before a path is parsed. The path is a part of the URI, and in a URI without encoded characters
   * and parameters, plain text of the pattern matches only itself.
   */
  boolean mayMatch(String uri) {
    return uri.contains(known) || uri.indexOf('%') >= 0 || uri.indexOf(';') >= 0;
  }

  /**
   * The variables in a reading of a path; empty if it does not match.
   *
   * @param isPlain whether it is the plain reading
   */
  Map<String, String> variables(PathReading path, boolean isPlain) {
    PathPattern.PathMatchInfo match =
        mayMatch(path.text()) ? (isPlain ? plain : asCame).matchAndExtract(path.parsed()) : null;
    return match == null ? Map.of() : match.getUriVariables();
  }

  /** Whether pieces of a path, in their order, make the text before the first variable. */
  boolean mayBegin(List<String> pieces) {
    boolean anyCase = !parser.isCaseSensitive();
    String made = "";
    for (String piece : pieces) {
      String longer = made + piece + "/";
      if (prefix.regionMatches(anyCase, 0, longer, 0, Math.min(prefix.length(), longer.length()))) {
        made = longer;
      }
      if (made.length() >= prefix.length()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a plain path begins with the text of the pattern before its first variable. */
  boolean begins(PathReading path) {
    String text = StringUtils.uriDecode(path.text(), StandardCharsets.UTF_8) + "/";
    return text.regionMatches(!parser.isCaseSensitive(), 0, prefix, 0, prefix.length());
  }
}
