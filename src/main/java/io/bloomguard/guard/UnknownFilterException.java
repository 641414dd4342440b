package io.bloomguard.guard;

import java.util.Collection;
import java.util.TreeSet;

/** A filter was named that is not configured. */
public class UnknownFilterException extends RuntimeException {

  private final String filter;

  public UnknownFilterException(String filter, Collection<String> available) {
    super("Unknown filter '" + filter + "'; configured are " + new TreeSet<>(available));
    this.filter = filter;
  }

  /** The name that was asked for. */
  public String filter() {
    return filter;
  }
}
