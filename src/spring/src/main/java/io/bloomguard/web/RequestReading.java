package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * What the rules read of the requests of one web framework.
 *
 * @param <R> the requests
 */
interface RequestReading<R> {

  String method(R request);

  /** The first value of a header; null where there is none, or none is seen. */
  default @Nullable String header(R request, String name) {
    return null;
  }

  /** Whether a browser asks what CORS allows, before the request that it means. */
  boolean isPreFlight(R request);

  /** The path as it came, perhaps with more before and behind it. */
  String uri(R request);

  /**
   * The path that handlers match.
   *
   * @throws InvalidKeyException if it is not well-formed
   */
  PathContainer path(R request);

  /** That path as it came. */
  String unparsed(R request);
}
