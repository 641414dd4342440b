package io.bloomguard.it.faults;

import io.bloomguard.it.support.Form;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The rows that another program writes over JDBC, and what is true of each key since when. */
final class Rows {

  private static final int FEW = Form.of(250, 500);
  private static final int MANY = Form.of(450, 900);

  /** Most changes are to the newest rows of a writer: others stay the same for long enough. */
  private static final int NEWEST = 50;

  private static final int KEPT = 24_000;

  private final PostgresProcess database;
  private final FeedWay way;
  private final Map<Long, Truth> truth = new ConcurrentHashMap<>();
  private final AtomicLong ids = new AtomicLong();
  private final AtomicLong codes = new AtomicLong();
  private final AtomicLong changes = new AtomicLong();
  private final long[] latest = new long[KEPT];
  private final AtomicLong latestCount = new AtomicLong();

  /** Written while nobody may change a row. */
  private final ReadWriteLock writing = new ReentrantReadWriteLock();

  private final List<Owner> owners = new ArrayList<>();

  Rows(PostgresProcess database, FeedWay way) {
    this.database = database;
    this.way = way;
  }

  /** About how many rows there are at most. */
  static int most(int owners) {
    return owners * MANY;
  }

  /** A row of the table. */
  record Row(long id, long code, long version) {}

  /**
   * A committed change.
   *
   * @param before the row before it, null for none
   * @param after the row after it, null for none; both null for a truncation
   */
  record Change(Row before, Row after, long committedMillis) {

    long id() {
      return after != null ? after.id() : before != null ? before.id() : 0;
    }

    String envelope() {
      String op = before == null ? "c" : after == null ? "d" : "u";
      return "{\"before\":"
          + json(before)
          + ",\"after\":"
          + json(after)
          + ",\"source\":{\"db\":\"postgres\",\"schema\":\"public\",\"table\":\"items\",\"ts_ms\":"
          + committedMillis
          + "},\"op\":\""
          + (before == null && after == null ? "t" : op)
          + "\",\"ts_ms\":"
          + System.currentTimeMillis()
          + "}";
    }

    private static String json(Row row) {
      return row == null
          ? "null"
          : "{\"id\":" + row.id + ",\"code\":" + row.code + ",\"version\":" + row.version + "}";
    }
  }

  /**
   * What is true of a key.
   *
   * @param version that of its row, 0 for none, -1 while a transaction may change it
   * @param since a moment after the commit
   */
  record Truth(long version, long since) {
    boolean isOpen() {
      return version < 0;
    }
  }

  long changes() {
    return changes.get();
  }

  Truth of(long code) {
    return truth.get(code);
  }

  /** Keys whose rows were changed lately, and some of all. */
  List<Long> some(int count, Random random) {
    List<Long> some = new ArrayList<>();
    long known = Math.min(KEPT, latestCount.get());
    for (int i = 0; i < count && known > 0; i++) {
      some.add(
          i % 2 == 0
              ? latest[random.nextInt((int) known)]
              : 1 + random.nextLong(Math.max(1, codes.get())));
    }
    some.removeIf(code -> code == 0 || truth.get(code) == null);
    return some;
  }

  /** Runs while no row is changed. */
  <T> T quiet(java.util.concurrent.Callable<T> task) throws Exception {
    writing.writeLock().lock();
    try {
      return task.call();
    } finally {
      writing.writeLock().unlock();
    }
  }

  List<Long> codes(boolean present) {
    return truth.entrySet().stream()
        .filter(entry -> entry.getValue().version() > 0 == present)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Deletes all rows at once. */
  void truncate() throws Exception {
    quiet(
        () -> {
          List<Long> gone = codes(true);
          gone.forEach(code -> truth.put(code, new Truth(-1, 0)));
          database.execute("truncate items");
          way.committed(new Change(null, null, System.currentTimeMillis()));
          gone.forEach(code -> truth.put(code, new Truth(0, System.nanoTime())));
          owners.forEach(owner -> owner.rows.clear());
          changes.addAndGet(gone.size());
          return null;
        });
  }

  /** Deletes rows, and returns their keys once the deletions have been passed on. */
  List<Long> deleteSome(int count) throws Exception {
    return quiet(
        () -> {
          List<Long> gone = new ArrayList<>();
          for (Owner owner : owners) {
            while (gone.size() < count && !owner.rows.isEmpty()) {
              Change change = new Change(owner.rows.get(0), null, 0);
              gone.add(change.before().code());
              owner.commit(List.of(change), false);
            }
          }
          return gone;
        });
  }

  Owner owner() {
    Owner owner = new Owner();
    owners.add(owner);
    return owner;
  }

  /** A writer that alone changes its rows. */
  final class Owner {

    private final List<Row> rows = new ArrayList<>();
    private final Deque<Row> dead = new ArrayDeque<>();
    private Connection connection;

    /** One transaction. */
    void step(Random random) throws InterruptedException {
      writing.readLock().lock();
      try {
        List<Change> planned = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
          planned.add(plan(random, planned));
        }
        commit(planned, random.nextInt(20) == 0);
      } finally {
        writing.readLock().unlock();
      }
    }

    /** Rows of one transaction differ. */
    private Change plan(Random random, List<Change> others) {
      int what = random.nextInt(100);
      Row row = rows.isEmpty() ? null : any(random);
      boolean taken = others.stream().anyMatch(other -> row != null && other.id() == row.id());
      if (row == null || taken || rows.size() < FEW || (what < 40 && rows.size() < MANY)) {
        Row again = what % 4 == 0 ? dead.pollFirst() : null;
        return new Change(
            null,
            again != null
                ? new Row(again.id(), again.code(), again.version() + 1)
                : new Row(ids.incrementAndGet(), codes.incrementAndGet(), 1),
            0);
      }
      if (what < 70) {
        return new Change(row, new Row(row.id(), row.code(), row.version() + 1), 0);
      }
      return what < 80
          ? new Change(row, new Row(row.id(), codes.incrementAndGet(), 1), 0)
          : new Change(row, null, 0);
    }

    private Row any(Random random) {
      int from = random.nextInt(100) < 60 ? Math.max(0, rows.size() - NEWEST) : 0;
      return rows.get(random.nextInt(from, rows.size()));
    }

    private void commit(List<Change> planned, boolean rolledBack) throws InterruptedException {
      planned.forEach(change -> eachCode(change, code -> truth.put(code, new Truth(-1, 0))));
      boolean done;
      try {
        done = execute(planned, rolledBack);
      } catch (SQLException e) {
        done = outcome(planned.get(0));
      }
      if (done) {
        long now = System.currentTimeMillis();
        for (Change change : planned) {
          way.committed(new Change(change.before(), change.after(), now));
        }
        changes.addAndGet(planned.size());
      }
      for (Change change : planned) {
        settle(change.before(), done ? null : change.before());
        settle(change.after(), done ? change.after() : null);
        if (sameCode(change)) {
          settle(change.after(), done ? change.after() : change.before());
        }
        remember(done, change);
      }
    }

    private static boolean sameCode(Change change) {
      return change.before() != null
          && change.after() != null
          && change.before().code() == change.after().code();
    }

    private void settle(Row named, Row is) {
      if (named != null) {
        truth.put(named.code(), new Truth(is == null ? 0 : is.version(), System.nanoTime()));
        latest[(int) (latestCount.getAndIncrement() % KEPT)] = named.code();
      }
    }

    private void remember(boolean done, Change change) {
      if (!done) {
        if (change.before() == null) {
          dead.addLast(change.after());
        }
        return;
      }
      rows.remove(change.before());
      if (change.after() != null) {
        rows.add(change.after());
      } else {
        dead.addLast(change.before());
      }
    }

    private static void eachCode(Change change, java.util.function.LongConsumer consumer) {
      if (change.before() != null) {
        consumer.accept(change.before().code());
      }
      if (change.after() != null) {
        consumer.accept(change.after().code());
      }
    }

    private boolean execute(List<Change> planned, boolean rolledBack) throws SQLException {
      if (connection == null || connection.isClosed()) {
        connection = database.connect();
        connection.setAutoCommit(false);
      }
      try {
        for (Change change : planned) {
          execute(change);
        }
        if (rolledBack) {
          connection.rollback();
        } else {
          connection.commit();
        }
        return !rolledBack;
      } catch (SQLException e) {
        connection.close();
        throw e;
      }
    }

    private void execute(Change change) throws SQLException {
      Row before = change.before();
      Row after = change.after();
      String sql =
          before == null
              ? "insert into items (code, version, id) values (?, ?, ?)"
              : after == null
                  ? "delete from items where id = ?"
                  : "update items set code = ?, version = ? where id = ?";
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        int at = 1;
        if (after != null) {
          statement.setLong(at++, after.code());
          statement.setLong(at++, after.version());
        }
        statement.setLong(at, change.id());
        if (statement.executeUpdate() != 1) {
          throw new IllegalStateException("A row is not as its writer left it");
        }
      }
    }

    /** Whether a transaction without an answer was committed. */
    private boolean outcome(Change change) throws InterruptedException {
      while (true) {
        try (Connection asked = database.connect();
            PreparedStatement select =
                asked.prepareStatement("select code, version from items where id = ?")) {
          select.setLong(1, change.id());
          try (ResultSet found = select.executeQuery()) {
            Row row =
                found.next() ? new Row(change.id(), found.getLong(1), found.getLong(2)) : null;
            return java.util.Objects.equals(row, change.after());
          }
        } catch (SQLException e) {
          Thread.sleep(100);
        }
      }
    }
  }
}
