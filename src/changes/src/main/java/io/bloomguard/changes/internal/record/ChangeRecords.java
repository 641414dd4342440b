package io.bloomguard.changes.internal.record;

import io.bloomguard.generation.Change;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the changes of one table out of the records of a topic. Used by one thread at a time. */
public final class ChangeRecords {

  /** The forms by their markers, those first that have the most. */
  private static final List<RecordFormat> ALL =
      List.of(new CanalRecords(), new DebeziumRecords(), new MaxwellRecords(), new PlainRows());

  private final @Nullable RecordFormat only;
  private final KeyColumns key;
  private final String table;
  private final JsonFields.Reader reader;
  private long delayMillis;

  /** Whether a tombstone is all that tells of a deletion, by the last record that was none. */
  private boolean tombstonesDelete = true;

  /** The form of the records. */
  public enum Format {
    /** Each record shows it. */
    AUTO(null),
    /** Debezium's envelope. */
    DEBEZIUM(new DebeziumRecords()),
    /** Rows alone. */
    ROW(new PlainRows()),
    /** Canal's flat messages. */
    CANAL(new CanalRecords()),
    /** Maxwell's messages. */
    MAXWELL(new MaxwellRecords());

    private final @Nullable RecordFormat form;

    Format(@Nullable RecordFormat form) {
      this.form = form;
    }
  }

  /**
   * The records of a topic.
   *
   * @param columns the columns of the key
   * @param table the table whose changes count, with or without its schema; empty for all
   */
  public ChangeRecords(Format format, List<String> columns, String table) {
    this.only = format.form;
    this.key = new KeyColumns(List.copyOf(columns));
    this.table = table;
    this.reader = new JsonFields.Reader(columns);
  }

  /**
   * Reads the changes of a record.
   *
   * @param recordKey the key of the record: a deletion without a row has it alone, and an update
   *     does not change it
   * @param value the value; null for a tombstone
   * @param changes takes them
   * @throws UnreadableRecordException if the record is in none of the forms
   */
  public void read(byte @Nullable [] recordKey, byte @Nullable [] value, List<Change> changes) {
    if (value == null) {
      tombstone(recordKey, changes);
      return;
    }
    int from = changes.size();
    read(reader.read(value), changes);
    changes.subList(from, changes.size()).replaceAll(change -> told(change, recordKey));
  }

  /** An update that does not tell the key before it may have changed the key. */
  private Change told(Change change, byte @Nullable [] recordKey) {
    return change.kind() == Change.Kind.UPDATE
            && change.before() == null
            && !key.areIn(row(recordKey))
        ? Change.present(change.after()).of(change.transaction())
        : change;
  }

  /** The columns in the key of a record; null if it is no such JSON. */
  private @Nullable JsonFields row(byte @Nullable [] recordKey) {
    JsonFields read = recordKey == null ? null : reader.read(recordKey);
    return read != null && isWrapped(read) ? read.fields("payload") : read;
  }

  /**
   * Reads the changes of a record that is no JSON.
   *
   * @param fields its fields by their names: texts, numbers of the types Long and BigInteger, and
   *     maps of these
   * @param changes takes them
   * @throws UnreadableRecordException if the record is in none of the forms
   */
  public void read(Map<String, @Nullable Object> fields, List<Change> changes) {
    read(JsonFields.of(fields), changes);
  }

  private void read(@Nullable JsonFields read, List<Change> changes) {
    boolean wrapped = read != null && isWrapped(read);
    if (read != null && wrapped && read.get("payload") == null) {
      return; // A tombstone in its schema.
    }
    JsonFields message = read != null && wrapped ? read.fields("payload") : read;
    RecordFormat form = form(message);
    if (message == null || form == null) {
      throw new UnreadableRecordException(
          only == null
              ? "A record is JSON of neither Debezium, Canal nor Maxwell, and no row with the"
                  + " columns of source.changes.key"
              : "A record is not in the form of source.changes.format");
    }
    String named = form.table(message);
    if (!table.isEmpty() && !isOurs(form.schema(message), named)) {
      return;
    }
    form.read(message, key, changes);
    tombstonesDelete = form.leavesDeletionsToTombstones(message);
    delayMillis = Math.max(0, form.delayMillis(message));
  }

  /** Whether the message is in a field beside its schema. */
  private boolean isWrapped(JsonFields read) {
    return read.has("payload") && !key.areIn(read);
  }

  private @Nullable RecordFormat form(@Nullable JsonFields message) {
    if (message == null) {
      return null;
    }
    if (only != null) {
      return only.isIn(message, key) ? only : null;
    }
    for (RecordFormat form : ALL) {
      if (form.isIn(message, key)) {
        return form;
      }
    }
    return null;
  }

  private boolean isOurs(String schema, @Nullable String named) {
    if (named == null) {
      throw new UnreadableRecordException(
          "A record is a row alone, which names no table, but source.changes.table is set");
    }
    return named.equals(table) || (schema + "." + named).equals(table);
  }

  /**
   * A tombstone follows the deletion that it belongs to, where records tell of deletions; among
   * rows alone it is the deletion, if its key has the columns.
   */
  private void tombstone(byte @Nullable [] recordKey, List<Change> changes) {
    JsonFields row = tombstonesDelete ? row(recordKey) : null;
    if (key.areIn(row)) {
      changes.add(Change.deleted(key.of(row)));
    }
  }

  /**
   * {@return the time between the commit of the last change and the writing of its record, in
   * milliseconds; 0 if that is not told} By the clocks of the database and of the program that
   * wrote it.
   */
  public long delayMillis() {
    return delayMillis;
  }
}
