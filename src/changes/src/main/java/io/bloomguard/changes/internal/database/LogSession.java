package io.bloomguard.changes.internal.database;

import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * A session at a database whose log is read: it holds the right to read, and knows the positions.
 * The server ends it after a few seconds without a statement. Used by one thread, but for {@link
 * #position}.
 */
interface LogSession extends AutoCloseable {

  /** The seconds without a statement after which the server ends a session. */
  int IDLE_SECONDS = 6;

  /** The seconds for an answer. */
  int ANSWER_SECONDS = 5;

  /** The seconds for a connection. */
  int CONNECT_SECONDS = 3;

  /**
   * Checks what the reading needs, and makes what may be made beforehand.
   *
   * @throws UnreadyDatabaseException if something is missing
   */
  void check() throws SQLException;

  /** Takes the right to read, which ends with this session; false while another one has it. */
  boolean lease() throws SQLException;

  /**
   * Finds out where to begin.
   *
   * @param known the position that the filter has; null for none
   */
  Start start(@Nullable String known) throws SQLException;

  /** Gives up what the server keeps for the feed, from where it cannot be read. */
  default void forget() throws SQLException {}

  /**
   * Checks after the begin that the log is still the one of {@link #start}.
   *
   * @throws UnreadyDatabaseException if it is not
   */
  void confirm(Start start) throws SQLException;

  /** Whether a failure of the engine shows that it cannot read from where it began. */
  default boolean isGoneBy(Throwable failure) {
    return false;
  }

  /**
   * Asks whether rows may have come or gone by now without the log having them. Then answers with
   * the position from which it is to be read on; null if not.
   */
  default @Nullable String altered() throws SQLException {
    return null;
  }

  /**
   * Marks the present end of the log: every change that is committed by now comes before it.
   *
   * @param due is told of the mark, before the log can be read up to there
   */
  void mark(Consumer<Mark> due) throws SQLException;

  /** The position after a record and all before it. Called by the engine's thread. */
  String position(SourceRecord record);

  /** Notes that the log would be read, were it not for a batch that is being applied. */
  default void heard() {}

  /**
   * Keeps the session. Answers with the bytes of log that the server keeps for the feed, if any.
   */
  OptionalLong keep() throws SQLException;

  @Override
  void close() throws SQLException;

  /**
   * The begin of a reading.
   *
   * @param position the position
   * @param known whether it continues the position that the filter has
   * @param settings the engine's settings
   */
  record Start(String position, boolean known, Properties settings) {}

  /** An end of the log at one moment. */
  interface Mark {

    /** Whether a record is the first after the mark, or the mark itself. */
    boolean isReachedBy(SourceRecord record);
  }
}
