package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** What the rules read of a request of one web framework. */
interface AskedRequest {

  String method();

  /** The first value of a header; null where there is none, or none is seen. */
  default @Nullable String header(String name) {
    return null;
  }

  /** Whether a browser asks what CORS allows, before the request that it means. */
  default boolean isPreFlight() {
    return false;
  }

  /** The path as it came, perhaps with more before and behind it. */
  String uri();

  /**
   * The path that handlers match.
   *
   * @throws InvalidKeyException if it is not well-formed
   */
  PathContainer path();

  /** That path as it came. */
  default String text() {
    return path().value();
  }
}
