package io.bloomguard.guard;

import java.util.Collection;
import java.util.TreeSet;

/** A caller named a filter that is not configured. */
public class UnknownFilterException extends RuntimeException {

  private final String filter;

  public UnknownFilterException(String filter, Collection<String> available) {
    super(
        "Unknown filter '"
            + filter
            + "'; "
            + (available.isEmpty()
                ? "none is configured"
                : "configured are " + new TreeSet<>(available)));
    this.filter = filter;
  }

  /**
   * The remedy for an annotation that names {@code filter}, where {@code available} are configured.
   */
  public static String remedy(String filter, Collection<String> available) {
    return "Configure bloomguard.filters."
        + filter
        + (available.isEmpty()
            ? "; no filter is configured. In a test whose own properties hide those of the"
                + " application, repeat the filters there, or set bloomguard.enabled=false"
            : ", or name one of " + new TreeSet<>(available));
  }

  /** The name that was asked for. */
  public String filter() {
    return filter;
  }
}
