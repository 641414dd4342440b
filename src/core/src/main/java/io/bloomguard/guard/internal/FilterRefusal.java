package io.bloomguard.guard.internal;

import io.bloomguard.guard.UnknownFilterException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a caller that has a key alone (an annotated method, an entity, a web rule) cannot
 * use a filter.
 *
 * @param problem the fault, as the rest of a sentence about the caller
 * @param action the remedy
 */
public record FilterRefusal(String problem, String action) {

  /**
   * {@return the refusal of the named filter; null if it can be used}
   *
   * @param guards the guards of the application
   * @param filter the name, of a configured filter or of none
   */
  public static @Nullable FilterRefusal of(EntryGuards guards, String filter) {
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

  /**
   * {@return the refusal of the named filter to a class whose writes bring it keys; null if they
   * can}
   *
   * @param guards the guards of the application
   * @param filter the name, of a configured filter or of none
   * @param attributes the attributes of the class that make the key
   */
  public static @Nullable FilterRefusal of(
      EntryGuards guards, String filter, List<KeyedAttribute> attributes) {
    FilterRefusal refusal = of(guards, filter);
    for (KeyedAttribute attribute : attributes) {
      refusal = refusal == null ? guards.keyed(filter, attribute) : refusal;
    }
    return refusal;
  }
}
