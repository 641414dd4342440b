package io.bloomguard.source.internal;

import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The first column of a query's rows, or all of its columns as the parts of a key.
 *
 * <p>The rows are streamed by one forward-only statement in one read-only transaction, so memory
 * does not grow with their number and the keys are those of one moment, as far as the transaction's
 * isolation goes. The connection goes back as it came.
 *
 * <p>Drivers stream under conditions: PostgreSQL's needs a transaction, forward-only and a fetch
 * size ("Getting results based on a cursor"), MySQL Connector/J the fetch size {@code
 * Integer.MIN_VALUE} ("ResultSet" in its implementation notes), others the fetch size alone.
 */
public final class JdbcKeySource implements KeySource, KeyLookup {

  /** A count is for the progress only; no warm-up waits longer for it. */
  private static final Duration COUNT_TIMEOUT = Duration.ofSeconds(3);

  /** The most rows of a lookup: one has a row or two, unless its collation is a very wide one. */
  private static final int LOOKUP_ROWS = 10;

  /** The time for the rows of a lookup. */
  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(3);

  /** The pause after a lookup that took too long, for which no index may serve. */
  private static final Duration LOOKUP_PAUSE = Duration.ofMinutes(1);

  /** The first line of a plan, such as {@code Seq Scan on t (cost=0.00..9.50 rows=50 width=8)}. */
  private static final Pattern PLANNED = Pattern.compile("\\brows=(\\d+)\\b");

  private final DataSource dataSource;
  private final KeyQuery query;
  private final @Nullable KeyQuery recent;
  private final @Nullable ComparedColumn column;
  private final Duration timeout;

  /** The lookup of a key, made of the query at the first one. */
  private volatile @Nullable KeyQuery lookup;

  /** Recent keys are read often, and what they are read from stays what it is. */
  private volatile boolean recentAccepted;

  private volatile boolean clockCompared;

  /** The moment of the next lookup after one that took too long; null for none. */
  private volatile @Nullable Long lookupsFrom;

  /**
   * The keys that {@code query} selects, fetched {@code fetchSize} rows a time.
   *
   * @param dataSource the database, of whose pool a reading takes one connection
   * @param query an SQL query without parameters; its first column is the key
   * @param fetchSize the rows that the driver is asked for at a time, at least 1
   * @param recentQuery a query with one parameter, the moment since which a row changed; null for
   *     none
   * @param column looks at the column before each reading; null for no look, and keys of one column
   * @param timeout how long the database may take for the next rows, those of the first fetch
   *     included
   * @throws IllegalArgumentException if the query is blank, the fetch size below 1, or the number
   *     of the recent query's parameters not 1
   */
  public JdbcKeySource(
      DataSource dataSource,
      String query,
      int fetchSize,
      @Nullable String recentQuery,
      @Nullable ComparedColumn column,
      Duration timeout) {
    if (recentQuery != null && new SqlQuery(recentQuery).parameters() != 1) {
      throw new IllegalArgumentException(
          "The recent query [" + recentQuery + "] must have exactly one parameter");
    }
    this.dataSource = dataSource;
    this.query = new KeyQuery(query, fetchSize, column);
    this.recent = recentQuery == null ? null : new KeyQuery(recentQuery, fetchSize, column);
    this.column = column;
    this.timeout = timeout;
  }

  /** {@inheritDoc} Keys of parts are not compared. */
  @Override
  public @Nullable KeyLookup lookup() {
    return query.hasParts() ? null : this;
  }

  /** Catalog and schema, and in PostgreSQL the system identifier, which a failover keeps. */
  @Override
  public @Nullable String identity() throws SQLException {
    try (ReadOnlyConnection database = new ReadOnlyConnection(dataSource, LOOKUP_TIMEOUT)) {
      String catalog = database.connection.getCatalog();
      String schema = database.connection.getSchema();
      return catalog == null && schema == null
          ? null
          : catalog + "/" + schema + "/" + system(database);
    }
  }

  private static @Nullable String system(ReadOnlyConnection database) {
    try {
      return database.isPostgres() ? database.ask(KeyQuery.SYSTEM) : "";
    } catch (SQLException e) {
      return ""; // the role may not ask
    }
  }

  /**
   * {@inheritDoc} PostgreSQL counts rows by reading them all, a good part of the warm-up, so its
   * planner's estimate does.
   */
  @Override
  public OptionalLong count() {
    try (ReadOnlyConnection database = new ReadOnlyConnection(dataSource, COUNT_TIMEOUT)) {
      String plan = database.isPostgres() ? database.ask("explain " + query.sql()) : null;
      Matcher planned = PLANNED.matcher(String.valueOf(plan));
      String rows =
          planned.find()
              ? planned.group(1)
              : database.ask("select count(*) from (" + query.sql() + "\n) t");
      return rows == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(rows));
    } catch (SQLException e) {
      return OptionalLong.empty();
    }
  }

  @Override
  public void forEach(KeySink sink) {
    forEach(query, null, sink);
  }

  @Override
  public boolean knowsRecent() {
    return recent != null;
  }

  @Override
  public void forEachRecent(Instant since, KeySink sink) {
    if (recent == null) {
      throw new UnsupportedOperationException("This source has no recent query");
    }
    forEach(recent, Timestamp.from(since), sink);
  }

  private void forEach(KeyQuery read, @Nullable Timestamp since, KeySink sink) {
    try (ReadOnlyConnection database = new ReadOnlyConnection(dataSource, timeout)) {
      if (column != null && (since == null || !recentAccepted)) {
        requireColumns(column, database, read, since);
        recentAccepted |= since != null;
      }
      if (since != null && !clockCompared) {
        clockCompared = true;
        DatabaseClock.compare(
            database,
            column == null
                ? "The recent query [" + read.sql() + "]"
                : column.property() + ".source.jdbc.recent-query");
      }
      // Last: what could not be asked before has rolled back, and a setting with it.
      database.requireAllRows();
      try (PreparedStatement statement =
          database.connection.prepareStatement(
              read.sql(), ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
        if (since != null) {
          statement.setTimestamp(1, since);
        }
        boolean connectorJ = database.connection.getMetaData().getDriverName().startsWith("MySQL");
        statement.setFetchSize(connectorJ ? Integer.MIN_VALUE : read.fetchSize());
        long beyondTrust = read(statement, read, timeout, sink);
        if (column != null && since == null) {
          column.warnOf(beyondTrust);
        }
      }
    } catch (SQLException e) {
      throw read.failed(e.getSQLState(), e);
    }
  }

  private static void requireColumns(
      ComparedColumn compared,
      ReadOnlyConnection database,
      KeyQuery query,
      @Nullable Timestamp since)
      throws SQLException {
    try (PreparedStatement statement = database.connection.prepareStatement(query.sql())) {
      ResultSetMetaData columns = statement.getMetaData();
      int count = columns == null ? 0 : columns.getColumnCount();
      if (columns == null || count == 0) {
        compared.require(ColumnEquality.doubtful("not described by the driver", "is unknown"));
        return;
      }
      for (int i = 1; i <= (query.hasParts() ? count : 1); i++) {
        JdbcColumn column = new JdbcColumn(columns, i);
        if (column.isText()) { // numbers, UUIDs and the like have one way to be compared
          compared.require(equality(column, database, query, since));
        }
      }
    }
  }

  private static ColumnEquality equality(
      JdbcColumn column, ReadOnlyConnection database, KeyQuery query, @Nullable Timestamp since)
      throws SQLException {
    try {
      return column.equality(
          database.product,
          query,
          sql -> {
            Timestamp parameter = sql.contains(query.sql()) ? since : null;
            return database.ask(sql, parameter, row -> row.getString(1));
          });
    } catch (SQLException e) {
      // PostgreSQL takes no further statement in this transaction, of which nothing is needed yet.
      database.connection.rollback();
      String state = "SQL state " + e.getSQLState() + " when its collation was asked for";
      return ColumnEquality.doubtful(state, ColumnEquality.UNKNOWN);
    }
  }

  /** Reads all rows; returns the number of texts that no trust in the collation covers. */
  private static long read(
      PreparedStatement statement, KeyQuery query, Duration timeout, KeySink sink)
      throws SQLException {
    try (FetchWatch watch = new FetchWatch(statement, timeout)) {
      sink.onCancel(watch::cancel);
      long beyondTrust = 0;
      SQLException failure = null;
      try (ResultSet rows = statement.executeQuery()) {
        ResultSetMetaData columns = rows.getMetaData();
        int width = query.width(columns.getColumnCount());
        for (int i = 1; i <= width; i++) {
          new JdbcColumn(columns, i).requireKeys(query);
        }
        JdbcColumn first = new JdbcColumn(columns, 1);
        boolean numbers = width == 1 && first.fitsLong();
        boolean texts = width == 1 && first.isText();
        while (rows.next()) {
          watch.row();
          long number = numbers ? rows.getLong(1) : 0;
          if (numbers && !rows.wasNull()) {
            sink.accept(number);
          } else {
            Object key =
                texts ? rows.getString(1) : KeyQuery.key(width, i -> rows.getObject(i + 1));
            beyondTrust += ComparedColumn.beyondTrust(query.column(), key);
            sink.accept(key);
          }
        }
      } catch (SQLException e) {
        failure = e;
      } finally {
        sink.onCancel(null);
      }
      // A driver may end the rows of a cancelled statement without an error.
      if (watch.expired()) {
        throw new KeySourceException(
            "The key query ["
                + query.sql()
                + "] yielded no row for "
                + timeout
                + " (source.jdbc.timeout)",
            failure);
      }
      if (failure != null) {
        throw failure;
      }
      return beyondTrust;
    }
  }

  /** {@inheritDoc} The database compares, with text that it converts to the column's type. */
  @Override
  public void find(String key, KeySink sink) {
    Long from = lookupsFrom;
    if (from != null && System.nanoTime() - from < 0) {
      throw unable("took longer than " + LOOKUP_TIMEOUT);
    }
    try (ReadOnlyConnection database = new ReadOnlyConnection(dataSource, LOOKUP_TIMEOUT)) {
      database.requireAllRows();
      find(database.connection, key, sink);
    } catch (SQLException e) {
      throw new KeySourceException(
          "no connection for a lookup; SQL state " + e.getSQLState(), null);
    }
  }

  private void find(Connection connection, String key, KeySink sink) throws SQLException {
    try {
      KeyQuery known = lookup;
      KeyQuery made = known == null ? lookup(connection) : known;
      lookup = made;
      try (PreparedStatement statement = connection.prepareStatement(made.sql())) {
        statement.setMaxRows(LOOKUP_ROWS);
        KeyParameter.bindText(statement, key);
        read(statement, made, LOOKUP_TIMEOUT, sink);
      }
    } catch (SQLException e) {
      // Its message may hold the key.
      String state = String.valueOf(e.getSQLState());
      if (state.startsWith("22")) {
        return; // The database makes no value of the column of that text.
      }
      if (state.startsWith("08") || state.startsWith("40") || e instanceof SQLTransientException) {
        throw e;
      }
      throw unable("failed with SQL state " + state);
    } catch (KeySourceException e) {
      lookupsFrom = System.nanoTime() + LOOKUP_PAUSE.toNanos();
      throw unable("took longer than " + LOOKUP_TIMEOUT);
    }
  }

  private UnsupportedOperationException unable(String why) {
    return new UnsupportedOperationException("a lookup in the query [" + query.sql() + "] " + why);
  }

  private KeyQuery lookup(Connection connection) throws SQLException {
    String label;
    try (PreparedStatement statement = connection.prepareStatement(query.sql())) {
      ResultSetMetaData columns = statement.getMetaData();
      if (columns == null || columns.getColumnCount() == 0) {
        throw new UnsupportedOperationException("the driver does not describe the key query");
      }
      label = columns.getColumnLabel(1);
    }
    // A blank says that there is no quoting.
    String quote = connection.getMetaData().getIdentifierQuoteString().strip();
    String key =
        "t." + quote + (quote.isEmpty() ? label : label.replace(quote, quote + quote)) + quote;
    String sql = "select " + key + " from (" + query.sql() + "\n) t where " + key + " = ?";
    return new KeyQuery(sql, query.fetchSize(), null);
  }
}
