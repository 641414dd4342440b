package io.bloomguard.autoconfigure;

import io.bloomguard.guard.StartRefusedException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.pattern.PathPatternParser;

/** The requirement that handlers take no path that the rules do not recognise. */
final class ParsedPaths {

  private ParsedPaths() {}

  /**
   * Refuses handler mappings that match their paths in another way than the rules do: a path such
   * as {@code //api/products/9} would reach them unjudged.
   *
   * @param parser the parser of the rules
   * @param others those of the mappings; null for none
   * @param setting configures the parser of all mappings
   */
  static void requireAlike(
      PathPatternParser parser,
      Stream<? extends @Nullable PathPatternParser> others,
      String setting) {
    if (others.anyMatch(other -> !parsesAs(parser, other))) {
      throw new StartRefusedException(
          "bloomguard.web.rules are set, but a RequestMappingHandlerMapping of the application"
              + " has a PathPatternParser whose settings are not those of the rules, so that it"
              + " takes paths that these do not recognise",
          "Configure the parser of all by " + setting + ", or remove the rules.");
    }
  }

  private static boolean parsesAs(PathPatternParser parser, @Nullable PathPatternParser other) {
    return other != null
        && other.isCaseSensitive() == parser.isCaseSensitive()
        && other.getPathOptions() == parser.getPathOptions();
  }
}
