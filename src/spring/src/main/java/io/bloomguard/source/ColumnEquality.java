package io.bloomguard.source;

import io.bloomguard.filter.KeyFolding.LetterCase;
import io.bloomguard.filter.KeyFolding.Trim;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.guard.internal.verify.Manual;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The different texts that a column holds equal, as far as its database shows them.
 *
 * @param name the comparison, such as {@code collation ascii_general_ci}
 * @param ignoresCase whether it may hold texts equal that differ in the case of letters
 * @param ignoresSpaces whether it may hold texts equal that differ in spaces at the end
 * @param doubt why it may hold other texts equal that no folding of keys does, null where it does
 *     not
 */
record ColumnEquality(
    String name, boolean ignoresCase, boolean ignoresSpaces, @Nullable String doubt) {

  /** Every text is equal to itself alone. */
  static ColumnEquality exact(String name) {
    return new ColumnEquality(name, false, false, null);
  }

  /** Nothing is known but what is said here. */
  static ColumnEquality doubtful(String name, String doubt) {
    return new ColumnEquality(name, false, false, doubt);
  }

  /**
   * Accepts a column that holds no texts equal that the filter distinguishes.
   *
   * @throws KeySourceException with the settings to add
   */
  void require(ComparedColumn check) {
    List<String> reasons = new ArrayList<>();
    List<String> settings = new ArrayList<>();
    if (ignoresCase && check.folding().letterCase() == LetterCase.EXACT) {
      reasons.add("is case-insensitive");
      settings.add(check.property() + ".keys.case=lower");
    }
    if (ignoresSpaces && check.folding().trim() == Trim.NONE) {
      reasons.add("ignores spaces at the end");
      settings.add(
          check.property()
              + ".keys.trim=trailing (for keys of several parts, which it does not trim: trim each"
              + " in expression and query, and select them with \"collate utf8mb4_nopad_bin\", in"
              + " MySQL \"collate utf8mb4_0900_bin\")");
    }
    if (doubt != null && !check.trusted()) {
      reasons.add(doubt);
      settings.add(
          check.property()
              + ".source."
              + check.source()
              + ".trust-collation=true, if all rows are ASCII: requests need not be, so those with"
              + " other letters, which the column may hold equal, are then UNKNOWN and go to the"
              + " load");
    }
    if (!reasons.isEmpty()) {
      throw new KeySourceException(
          "The first column of the key query ("
              + name
              + ") "
              + String.join(", and ", reasons)
              + ", so that rows would be found under keys that the filter calls absent. Set "
              + String.join(", and ", settings)
              + "; see "
              + Manual.page("keys.md"),
          null);
    }
  }
}
