package io.bloomguard.source;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.internal.verify.Manual;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rows of one reading whose keys no trust in the collation covers. */
final class TrustedRows {

  private static final Logger log = LoggerFactory.getLogger(TrustedRows.class);

  private final @Nullable ComparedColumn column;
  private long beyond;

  /**
   * @param column null for no look at it
   */
  TrustedRows(@Nullable ComparedColumn column) {
    this.column = column != null && column.trusted() ? column : null;
  }

  void row(@Nullable Object key) {
    if (column != null && key instanceof String text && !CanonicalKey.isAscii(text)) {
      beyond++;
    }
  }

  /** Warns of such rows. */
  void end() {
    if (column != null && beyond > 0) {
      log.warn(
          "{}.source.{}.trust-collation is true, but {} keys of the source have letters beyond"
              + " ASCII: if the column holds one equal to an ASCII key, the filter rejects that"
              + " key although the database finds a row. Give the column another collation, or"
              + " leave trust-collation out; see {}",
          column.property(),
          column.source(),
          beyond,
          Manual.page("keys.md"));
    }
  }
}
