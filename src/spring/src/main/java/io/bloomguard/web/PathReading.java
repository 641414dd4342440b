package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** One reading of the path of a request, which is parsed when a rule may match it. */
final class PathReading {

  private final String text;
  private final @Nullable Supplier<PathContainer> parser;
  private @Nullable PathContainer parsed;

  /** A path whose slashes alone separate segments. */
  PathReading(String text) {
    this(text, null);
  }

  /**
   * A path that a web framework parses.
   *
   * @param text a text that has the path in it, as it came
   * @param parser null for a text that is the path
   */
  PathReading(String text, @Nullable Supplier<PathContainer> parser) {
    this.text = text;
    this.parser = parser;
  }

  /** The path as it came, perhaps with more before and behind it. */
  String text() {
    return text;
  }

  /** The path as it came. */
  String path() {
    return parser == null ? text : parsed().value();
  }

  /**
   * The path that handlers match.
   *
   * @throws InvalidKeyException if it is not well-formed
   */
  PathContainer parsed() {
    if (parsed == null) {
      parsed = parser == null ? PathContainer.parsePath(text) : parser.get();
    }
    return parsed;
  }
}
