package io.bloomguard.changes.internal.database;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A position in the binary log of a MariaDB; as text {@code binlog.000001:4905:0-1-23:1:7a3f}. It
 * is the begin of a transaction: one that was read in part is read again as a whole, because the
 * server may send it with other events before it, and a count of those would miss rows.
 *
 * @param file the file
 * @param offset the offset in it, of the begin of a transaction
 * @param gtids the transactions before it
 * @param server the number of the server
 * @param columns a digest of the table's columns, by which the rows after it are read
 */
record BinlogPosition(String file, long offset, String gtids, long server, String columns) {

  private static final int PARTS = 5;
  private static final int GTID_PARTS = 3;

  /** The position in a text; null if it is null or of another form. */
  static @Nullable BinlogPosition parse(@Nullable String text) {
    String[] parts = text == null ? new String[0] : text.split(":", -1);
    if (parts.length != PARTS) {
      return null;
    }
    try {
      return new BinlogPosition(
          parts[0], Long.parseLong(parts[1]), parts[2], Long.parseLong(parts[3]), parts[4]);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** The position that the engine tells of. */
  static BinlogPosition of(Map<String, ?> told, long server, String columns) {
    return new BinlogPosition(
        String.valueOf(told.get("file")),
        number(told, "pos"),
        told.get("gtids") instanceof String gtids ? gtids : "",
        server,
        columns);
  }

  private static long number(Map<String, ?> told, String name) {
    return told.get(name) instanceof Number number ? number.longValue() : 0;
  }

  /**
   * Whether it comes after transactions of the same server. The offset says less: it moves with
   * transactions alone, and so stays behind the end of a new file.
   *
   * @param transactions the last one of each domain, such as {@code 0-1-23,4-1-5}
   */
  boolean isAfter(String transactions) {
    Map<String, Long> read = numbers(gtids);
    return numbers(transactions).entrySet().stream()
        .allMatch(last -> read.getOrDefault(last.getKey(), -1L) >= last.getValue());
  }

  /** The numbers of the last transactions by their domains. */
  private static Map<String, Long> numbers(String gtids) {
    Map<String, Long> numbers = new HashMap<>();
    for (String gtid : gtids.split(",", -1)) {
      String[] parts = gtid.split("-", -1);
      if (parts.length == GTID_PARTS && parts[2].matches("\\d{1,18}")) {
        numbers.merge(parts[0], Long.parseLong(parts[2]), Math::max);
      }
    }
    return numbers;
  }

  /** As the engine reads it. */
  String json() {
    return "{\"ts_sec\":0,\"file\":\""
        + file
        + "\",\"pos\":"
        + offset
        + (gtids.isEmpty() ? "" : ",\"gtids\":\"" + gtids + '"')
        + ",\"server_id\":"
        + server
        + "}";
  }

  String text() {
    return file + ":" + offset + ":" + gtids + ":" + server + ":" + columns;
  }
}
