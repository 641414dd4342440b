package io.bloomguard.changes.internal.record;

import io.bloomguard.generation.Change;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Canal's flat messages: {@code type}, {@code isDdl}, and rows in {@code data} and {@code old}. */
final class CanalRecords implements RecordFormat {

  @Override
  public boolean isIn(JsonFields message, KeyColumns key) {
    return message.has("isDdl") && message.get("type") instanceof String;
  }

  @Override
  public void read(JsonFields message, KeyColumns key, List<Change> changes) {
    String type = message.text("type");
    if (type.equals("TRUNCATE")) {
      changes.add(Change.truncated());
      return;
    }
    if (Boolean.TRUE.equals(message.get("isDdl"))) {
      return;
    }
    List<JsonFields> rows = message.rows("data");
    List<JsonFields> old = message.rows("old");
    for (int i = 0; i < rows.size(); i++) {
      JsonFields before = i < old.size() ? old.get(i) : null;
      changes.add(change(type, key.of(rows.get(i)), key.of(rows.get(i), before)));
    }
  }

  private static Change change(String type, @Nullable Object after, @Nullable Object before) {
    return switch (type) {
      case "INSERT" -> Change.inserted(after);
      case "UPDATE" -> Change.updated(before, after);
      case "DELETE" -> Change.deleted(after);
      default ->
          throw new UnreadableRecordException(
              "A record has the type '" + type + "', which Canal's changes of rows do not have");
    };
  }

  @Override
  public long delayMillis(JsonFields message) {
    return message.number("ts") - message.number("es");
  }
}
