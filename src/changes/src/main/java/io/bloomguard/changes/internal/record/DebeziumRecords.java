package io.bloomguard.changes.internal.record;

import io.bloomguard.generation.Change;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Debezium's envelope: {@code op}, {@code before}, {@code after} and {@code source}. */
final class DebeziumRecords implements RecordFormat {

  @Override
  public boolean isIn(JsonFields message, KeyColumns key) {
    return message.get("op") instanceof String && message.fields("source") != null;
  }

  @Override
  public String schema(JsonFields message) {
    JsonFields source = message.fields("source");
    if (source == null) {
      return "";
    }
    // MySQL has no schemas, and PostgreSQL's name of the database is no part of a table's name.
    return source.text("schema").isEmpty() ? source.text("db") : source.text("schema");
  }

  @Override
  public @Nullable String table(JsonFields message) {
    JsonFields source = message.fields("source");
    return source == null ? "" : source.text("table");
  }

  @Override
  public void read(JsonFields message, KeyColumns key, List<Change> changes) {
    JsonFields before = message.fields("before");
    JsonFields after = message.fields("after");
    String transaction = transaction(message.fields("source"));
    switch (message.text("op")) {
      case "c" -> changes.add(Change.inserted(key.of(after)).of(transaction));
      case "r" -> changes.add(Change.present(key.of(after)));
      case "u" -> changes.add(update(key, before, key.of(after)).of(transaction));
      case "d" -> changes.add(Change.deleted(key.of(before)).of(transaction));
      case "t" -> changes.add(Change.truncated());
      case "m" -> {
        // A message that a program wrote into the log, of no row.
      }
      default ->
          throw new UnreadableRecordException(
              "A record has the op '" + message.text("op") + "', which Debezium does not have");
    }
  }

  /**
   * Under the replica identity DEFAULT there is no row before, unless its primary key changed. A
   * key that was null is new.
   */
  private static Change update(
      KeyColumns key, @Nullable JsonFields before, @Nullable Object after) {
    if (!key.areIn(before)) {
      return Change.updated(null, after);
    }
    Object was = key.of(before);
    return was == null ? Change.present(after) : Change.updated(was, after);
  }

  /** The transaction's number in PostgreSQL, and its GTID in MariaDB; null if it has none. */
  private static @Nullable String transaction(@Nullable JsonFields source) {
    if (source == null) {
      return null;
    }
    String gtid = source.text("gtid");
    long number = source.number("txId");
    return !gtid.isEmpty() ? gtid : number != 0 ? Long.toString(number) : null;
  }

  @Override
  public long delayMillis(JsonFields message) {
    JsonFields source = message.fields("source");
    if (source == null || message.text("op").equals("r")) {
      return 0;
    }
    return message.number("ts_ms") - source.number("ts_ms");
  }
}
