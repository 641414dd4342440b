package io.bloomguard.changes.internal.database;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A position in a binary log; as text {@code binlog.000001:4905:0-1-23:1:7a3f}. It is the begin of
 * a transaction: one that was read in part is read again as a whole, because the server may send it
 * with other events before it, and a count of those would miss rows.
 *
 * @param file the file
 * @param offset the offset in it, of the begin of a transaction
 * @param gtids the transactions before it
 * @param server the number of the server
 * @param columns a digest of the table, by whose columns the rows after it are read
 */
record BinlogPosition(String file, long offset, String gtids, long server, String columns) {

  /** Transactions of MySQL have colons. */
  private static final Pattern TEXT =
      Pattern.compile("([^:]+):(\\d{1,18}):(.*):(\\d{1,18}):([^:]*)");

  /** The position in a text; null if it is null or of another form. */
  static @Nullable BinlogPosition parse(@Nullable String text) {
    Matcher parts = TEXT.matcher(text == null ? "" : text);
    return parts.matches()
        ? new BinlogPosition(
            parts.group(1),
            Long.parseLong(parts.group(2)),
            parts.group(3),
            Long.parseLong(parts.group(4)),
            parts.group(5))
        : null;
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

  /** The same server and columns at another place. */
  BinlogPosition at(String otherFile, long otherOffset, String otherGtids) {
    return new BinlogPosition(otherFile, otherOffset, otherGtids, server, columns);
  }

  /** Whether it has come to an end of the same log. */
  boolean hasReached(BinlogPosition end) {
    long ahead = number() - end.number();
    return ahead > 0 || (ahead == 0 && offset >= end.offset);
  }

  private long number() {
    String digits = file.substring(file.lastIndexOf('.') + 1);
    return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : 0;
  }

  /** Whether all transactions so far come before it: the last ones of each domain of MariaDB. */
  boolean isAfter(String last) {
    return List.of(gtids.split(",", -1)).containsAll(List.of(last.split(",", -1)));
  }

  /** Whether a transaction of MariaDB is the next one of its domain. */
  boolean isBefore(long domain, long number) {
    long last =
        Stream.of(gtids.split(",", -1))
            .map(each -> each.split("-", -1))
            .filter(parts -> parts.length == 3 && parts[0].equals(String.valueOf(domain)))
            .mapToLong(parts -> Long.parseUnsignedLong(parts[2]))
            .max()
            .orElse(0);
    return number == last + 1;
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
