package io.bloomguard.it.faults;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the loads of every key over all processes, where they all end up: in the database. */
public final class Loads {

  private static final Map<Long, OfKey> BY_KEY = new ConcurrentHashMap<>();
  private static final AtomicLong TOTAL = new AtomicLong();

  private Loads() {}

  /** A function of the database: reads a row, then holds the answer back, or fails if negative. */
  public static String load(Connection connection, long id, long holdMillis) throws Exception {
    OfKey loads = BY_KEY.computeIfAbsent(id, key -> new OfKey());
    loads.begin();
    TOTAL.incrementAndGet();
    try {
      String name = name(connection, id);
      Thread.sleep(Math.abs(holdMillis));
      if (holdMillis < 0) {
        throw new SQLException("a load that was asked to fail");
      }
      return name;
    } finally {
      loads.end();
    }
  }

  private static String name(Connection connection, long id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("select name from products where id = ?")) {
      select.setLong(1, id);
      try (ResultSet rows = select.executeQuery()) {
        return rows.next() ? rows.getString(1) : null;
      }
    }
  }

  /** Counts the loads of a key anew. */
  static OfKey anew(long id) {
    OfKey fresh = new OfKey();
    BY_KEY.put(id, fresh);
    return fresh;
  }

  static long total() {
    return TOTAL.get();
  }

  /** The loads of one key. */
  static final class OfKey {

    private final List<Long> begun = new ArrayList<>();
    private int running;
    private int mostAtOnce;

    private synchronized void begin() {
      begun.add(System.nanoTime());
      mostAtOnce = Math.max(mostAtOnce, ++running);
    }

    private synchronized void end() {
      running--;
    }

    /** When they began, by {@link System#nanoTime}. */
    synchronized List<Long> begun() {
      return List.copyOf(begun);
    }

    synchronized int count() {
      return begun.size();
    }

    synchronized int mostAtOnce() {
      return mostAtOnce;
    }
  }
}
