package io.bloomguard.changes.internal.record;

import io.bloomguard.generation.Change;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows alone, as Debezium's {@code ExtractNewRecordState} leaves them: with {@code __op} and {@code
 * __deleted} if it adds them. A row without them was inserted, changed or read.
 */
final class PlainRows implements RecordFormat {

  @Override
  public boolean isIn(JsonFields message, KeyColumns key) {
    return key.areIn(message);
  }

  @Override
  public String schema(JsonFields message) {
    return "";
  }

  @Override
  public @Nullable String table(JsonFields message) {
    return null;
  }

  @Override
  public void read(JsonFields message, KeyColumns key, List<Change> changes) {
    Object row = key.of(message);
    boolean deleted =
        message.text("__deleted").equals("true")
            || Boolean.TRUE.equals(message.get("__deleted"))
            || message.text("__op").equals("d");
    changes.add(
        deleted
            ? Change.deleted(row)
            : message.text("__op").equals("c") ? Change.inserted(row) : present(row, message));
  }

  @Override
  public boolean leavesDeletionsToTombstones(JsonFields message) {
    return !message.has("__deleted");
  }

  /** An update drops the entries of its key as well, which a row that is present does. */
  private static Change present(@Nullable Object row, JsonFields message) {
    return message.text("__op").equals("u") ? Change.updated(null, row) : Change.present(row);
  }
}
