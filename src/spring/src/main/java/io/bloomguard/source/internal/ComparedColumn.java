package io.bloomguard.source.internal;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyFolding.LetterCase;
import io.bloomguard.filter.KeyFolding.Trim;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.guard.internal.verify.Manual;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The comparison that the first column of a key query must have: that of the filter's keys.
 *
 * @param property the filter's properties, such as {@code bloomguard.filters.users}, for messages
 * @param source the kind of the filter's source, {@code jdbc} or {@code r2dbc}, for messages
 * @param folding which keys the filter holds equal
 * @param trusted whether the owner says that the column holds no others equal
 * @param parts whether each column of the query is a part of the key, of two or more
 */
public record ComparedColumn(
    String property, String source, KeyFolding folding, boolean trusted, boolean parts) {

  private static final Logger log = LoggerFactory.getLogger(ComparedColumn.class);

  /**
   * Accepts a column that holds no texts equal that the filter distinguishes.
   *
   * @throws KeySourceException with the settings to add
   */
  void require(ColumnEquality column) {
    Map<String, String> remedies = new LinkedHashMap<>(); // by their reasons
    if (column.ignoresCase() && folding.letterCase() == LetterCase.EXACT) {
      remedies.put("is case-insensitive", property + ".keys.case=lower");
    }
    if (column.ignoresSpaces() && folding.trim() == Trim.NONE) {
      remedies.put(
          "ignores spaces at the end",
          property
              + ".keys.trim=trailing (for keys of several parts, which it does not trim: trim each"
              + " in expression and query, and select them with \"collate utf8mb4_nopad_bin\", in"
              + " MySQL \"collate utf8mb4_0900_bin\")");
    }
    if (column.doubt() != null && !trusted) {
      remedies.put(
          column.doubt(),
          trust()
              + "=true, if all rows are ASCII: requests need not be, so those with other letters,"
              + " which the column may hold equal, are then UNKNOWN and go to the load");
    }
    if (!remedies.isEmpty()) {
      throw new KeySourceException(
          ("The first column of the key query (%s) %s, so that rows would be found under keys that"
                  + " the filter calls absent. Set %s; see %s")
              .formatted(
                  column.name(),
                  String.join(", and ", remedies.keySet()),
                  String.join(", and ", remedies.values()),
                  Manual.page("keys.md")),
          null);
    }
  }

  private String trust() {
    return property + ".source." + source + ".trust-collation";
  }

  /** The number of texts in a key that no trust in the collation covers. */
  static long beyondTrust(@Nullable ComparedColumn column, @Nullable Object key) {
    if (column == null || !column.trusted()) {
      return 0;
    }
    return key instanceof List<?> parts
        ? parts.stream().mapToLong(part -> beyondTrust(column, part)).sum()
        : key instanceof String text && !CanonicalKey.isAscii(text) ? 1 : 0;
  }

  /** Warns of the rows of one reading whose keys no trust covers, if there are any. */
  void warnOf(long beyondTrust) {
    if (beyondTrust > 0) {
      log.warn(
          "{} is true, but {} keys of the source have letters beyond ASCII: if the column holds one"
              + " equal to an ASCII key, the filter rejects that key although the database finds a"
              + " row. Give the column another collation, or leave trust-collation out; see {}",
          trust(),
          beyondTrust,
          Manual.page("keys.md"));
    }
  }
}
