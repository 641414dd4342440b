package io.bloomguard.changes.internal.record;

import io.bloomguard.generation.Change;
import java.util.List;

/** Maxwell's messages: {@code database}, {@code table}, {@code type}, {@code data}, {@code old}. */
final class MaxwellRecords implements RecordFormat {

  @Override
  public boolean isIn(JsonFields message, KeyColumns key) {
    return message.get("type") instanceof String
        && message.get("database") instanceof String
        && (message.fields("data") != null || isOfNoRow(message.text("type")));
  }

  /** The definition of a table or database, or the begin and end of a bootstrap. */
  private static boolean isOfNoRow(String type) {
    return type.startsWith("table-")
        || type.startsWith("database-")
        || type.equals("bootstrap-start")
        || type.equals("bootstrap-complete");
  }

  @Override
  public void read(JsonFields message, KeyColumns key, List<Change> changes) {
    String type = message.text("type");
    JsonFields row = message.fields("data");
    switch (type) {
      case "insert" -> changes.add(Change.inserted(key.of(row)));
      case "bootstrap-insert" -> changes.add(Change.present(key.of(row)));
      case "update" -> changes.add(Change.updated(key.of(row, message.fields("old")), key.of(row)));
      case "delete" -> changes.add(Change.deleted(key.of(row)));
      default -> {
        if (!isOfNoRow(type)) {
          throw new UnreadableRecordException(
              "A record has the type '" + type + "', which Maxwell does not have");
        }
      }
    }
  }
}
