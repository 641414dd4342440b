package io.bloomguard.web;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the rules read of a request of one web framework. */
interface AskedRequest {

  String method();

  /** The first value of a header; null where there is none, or none is seen. */
  default @Nullable String header(String name) {
    return null;
  }

  /** The values of a parameter; none where no parameters are seen. */
  default List<String> parameters(String name) {
    return List.of();
  }

  /** Whether a browser asks what CORS allows, before the request that it means. */
  default boolean isPreFlight() {
    return false;
  }

  /** The path that handlers match. */
  PathReading path();
}
