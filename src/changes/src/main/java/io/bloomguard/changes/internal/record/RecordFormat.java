package io.bloomguard.changes.internal.record;

import io.bloomguard.generation.Change;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A form in which programs write the changes of rows as JSON. */
interface RecordFormat {

  /** Whether a record has the markers of this form. */
  boolean isIn(JsonFields message, KeyColumns key);

  /** The schema or database that a record names, empty for none. */
  default String schema(JsonFields message) {
    return message.text("database");
  }

  /** The table that a record names; null if this form names none. */
  default @Nullable String table(JsonFields message) {
    return message.text("table");
  }

  /**
   * The changes that a record tells of.
   *
   * @throws UnreadableRecordException if it lacks what it must have
   */
  void read(JsonFields message, KeyColumns key, List<Change> changes);

  /** Whether only a tombstone tells of a deletion, where a record looks like this one. */
  default boolean leavesDeletionsToTombstones(JsonFields message) {
    return false;
  }

  /** The milliseconds between the commit and the writing of the record, as far as it tells. */
  default long delayMillis(JsonFields message) {
    return 0;
  }
}
