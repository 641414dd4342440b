package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * Why what has a key alone (an annotated method, an entity, a web rule) cannot use a filter.
 *
 * @param problem as the rest of a sentence about it
 * @param action what to do about it
 */
public record FilterRefusal(String problem, String action) {

  /** The refusal of a filter that is named; null where it can be used. */
  public static @Nullable FilterRefusal of(BloomGuards guards, String filter) {
    if (!guards.filters().contains(filter)) {
      return new FilterRefusal(
          "names the filter '" + filter + "', which is not configured",
          UnknownFilterException.remedy(filter, guards.filters()));
    }
    if (guards.isBySubject(filter)) {
      return new FilterRefusal(
          "names the filter '" + filter + "', which has a filter for each subject",
          "Ask it by guards.guard(\"" + filter + "\", subject), or leave out its per-subject");
    }
    return null;
  }
}
