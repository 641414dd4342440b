package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeReceiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * One reading of a log, until it fails. What is applied is passed by the engine's thread; the
 * caller's thread keeps the session and marks the end of the log again and again: once the reading
 * comes to a mark, every change that was committed before the mark was made has been applied.
 */
final class LogReading {

  /** The time between two marks. */
  private static final Duration ROUND = Duration.ofMillis(400);

  /** The time between two positions of a log without changes. */
  private static final Duration IDLE = Duration.ofSeconds(5);

  private final FollowedTable table;
  private final LogSession session;
  private final ChangeRecords records;
  private final ChangeReceiver receiver;

  /** The mark that is not reached yet; null for none. */
  private final AtomicReference<@Nullable Due> due = new AtomicReference<>();

  /** Whether a batch is being applied, for which the engine waits. */
  private volatile boolean applies;

  private long appliedAt = System.nanoTime();

  LogReading(
      FollowedTable table, LogSession session, ChangeRecords records, ChangeReceiver receiver) {
    this.table = table;
    this.session = session;
    this.records = records;
    this.receiver = receiver;
  }

  /**
   * @param gone whether the position that the filter has cannot be read from
   * @param closed whether the feed is closed by the end of a wait
   */
  void run(boolean gone, Predicate<Duration> closed) throws Exception {
    ChangeReceiver.Reading reading = receiver.begin();
    LogSession.Start start = session.start(gone ? null : reading.position());
    if (!start.known()) {
      reading.beginAt(start.position());
    }
    String altered = null;
    try (LogEngine engine =
        new LogEngine(table.filter(), start.settings(), batch -> take(reading, batch))) {
      while (!engine.hasBegunWithin(ROUND)) {
        session.keep();
      }
      session.confirm(start);
      do {
        engine.requireRunning();
        long asked = System.nanoTime();
        altered = session.altered();
        if (altered != null) {
          break;
        }
        if (due.get() == null) {
          session.mark(mark -> due.set(new Due(mark, asked)));
        }
        if (applies) {
          session.heard();
        }
        session.keep().ifPresent(receiver::retains);
      } while (!closed.test(ROUND));
    }
    if (altered != null) {
      reading.beginAt(altered);
      throw new UnreadyDatabaseException(
          "The table '"
              + table.table()
              + "', or what the feed requires of it, was altered, which the log does not tell",
          "The feed begins again by itself, and the filter is built again");
    }
  }

  private boolean take(ChangeReceiver.Reading reading, List<SourceRecord> batch) {
    List<Change> changes = new ArrayList<>();
    String position = "";
    Due now = due.get();
    boolean reached = false;
    for (SourceRecord record : batch) {
      Map<String, @Nullable Object> fields = RecordFields.of(record);
      if (fields != null) {
        records.read(fields, changes);
      }
      position = session.position(record);
      reached |= now != null && now.mark.isReachedBy(record);
    }
    // Each position costs a write; a log without changes has few.
    boolean moves = !changes.isEmpty() || System.nanoTime() - appliedAt > IDLE.toNanos();
    applies = true;
    try {
      if (moves) {
        reading.apply(changes, position);
        appliedAt = System.nanoTime();
      }
      if (now != null && reached) {
        due.set(null);
        reading.complete(Duration.ofNanos(System.nanoTime() - now.asked));
      }
    } finally {
      applies = false;
    }
    return moves;
  }

  /**
   * A mark, and the moment before it was made.
   *
   * @param mark the mark
   * @param asked the moment by {@code System.nanoTime()}
   */
  private record Due(LogSession.Mark mark, long asked) {}
}
