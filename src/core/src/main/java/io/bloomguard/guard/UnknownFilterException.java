package io.bloomguard.guard;

import java.util.Collection;
import java.util.TreeSet;

/** A caller named a filter that is not configured. */
public class UnknownFilterException extends RuntimeException {

  /** The name that was asked for. */
  private final String filter;

  /**
   * The refusal of a name.
   *
   * @param filter the name that was asked for
   * @param available the names that are configured
   */
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
   * {@return the remedy for an annotation that names {@code filter}, where {@code available} are
   * configured}
   *
   * @param filter the name in the annotation
   * @param available the names that are configured
   */
  public static String remedy(String filter, Collection<String> available) {
    return "Configure bloomguard.filters."
        + filter
        + (available.isEmpty()
            ? "; no filter is configured. In a test whose own properties hide those of the"
                + " application, repeat the filters there, or set bloomguard.enabled=false"
            : ", or name one of " + new TreeSet<>(available));
  }

  /** {@return the name that was asked for} */
  public String filter() {
    return filter;
  }
}
