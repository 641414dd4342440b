package io.bloomguard.web;

import java.util.Map;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** The pattern of a rule, as the readings of paths match it. */
final class RulePattern {

  private final String text;
  private final Form asCame;

  /** Without the slashes that no plain path has. */
  private final Form plain;

  /** The plain text before the first variable. */
  private final String prefix;

  private final String beginning;
  private final boolean anyCase;

  /** A pattern as paths in one reading have it. */
  private record Form(PathPattern pattern, int slashes) {

    static Form of(String pattern, PathPatternParser parser) {
      return new Form(parser.parse(pattern), PatternPlaces.slashes(pattern));
    }

    Map<String, String> variables(PathReading path) {
      PathPattern.PathMatchInfo match =
          path.mayHave(slashes) ? pattern.matchAndExtract(path.parsed()) : null;
      return match == null ? Map.of() : match.getUriVariables();
    }
  }

  RulePattern(String pattern, PathPatternParser parser) {
    this.text = parser.initFullPathPattern(pattern);
    this.asCame = Form.of(text, parser);
    String single = text.replaceAll("/{2,}", "/");
    String bare = single.endsWith("/") ? single.substring(0, single.length() - 1) : single;
    this.plain = Form.of(bare, parser);
    this.prefix = plainText(bare);
    this.anyCase = !parser.isCaseSensitive();
    // Without the separator: the part behind it may match nothing, as in /api/{*rest}.
    String known = plainText(text);
    this.beginning =
        anyCase || parser.getPathOptions() != PathContainer.Options.HTTP_PATH
            ? ""
            : known.substring(0, Math.max(0, known.lastIndexOf('/')));
  }

  private static String plainText(String pattern) {
    int plain = 0;
    while (plain < pattern.length() && PatternPlaces.isPlain(pattern.charAt(plain))) {
      plain++;
    }
    return pattern.substring(0, plain);
  }

  /** The pattern as handlers write it. */
  String text() {
    return text;
  }

  /**
   * False only if the pattern cannot match a request of that URI, which rules out most requests
   * before a path is parsed. The path is a part of the URI, and in a URI without encoded characters
   * and parameters, plain text of the pattern matches only itself.
   */
  boolean mayMatch(String uri) {
    return uri.contains(beginning) || uri.indexOf('%') >= 0 || uri.indexOf(';') >= 0;
  }

  /**
   * The variables in a reading of a path; empty if it does not match.
   *
   * @param isPlain whether it is the plain reading
   */
  Map<String, String> variables(PathReading path, boolean isPlain) {
    return mayMatch(path.text()) ? (isPlain ? plain : asCame).variables(path) : Map.of();
  }

  /** Whether a plain path begins with the text of the pattern before its first variable. */
  boolean begins(PathReading path) {
    return path.beginsWith(prefix, anyCase);
  }
}
