package io.bloomguard.source.internal;

import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
  private static final int COUNT_TIMEOUT_SECONDS = 3;

  /** The most rows of a lookup: one has a row or two, unless its collation is a very wide one. */
  private static final int LOOKUP_ROWS = 10;

  /** The time for the rows of a lookup. */
  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(3);

  /** The pause after a lookup that took too long, for which no index may serve. */
  private static final Duration LOOKUP_PAUSE = Duration.ofMinutes(1);

  /** The first line of a plan, such as {@code Seq Scan on t (cost=0.00..9.50 rows=50 width=8)}. */
  private static final Pattern PLANNED = Pattern.compile("\\brows=(\\d+)\\b");

  /** Decimal digits that always fit a long. */
  private static final int LONG_DIGITS = 18;

  static final String POSTGRES = "PostgreSQL";

  /** Has PostgreSQL refuse a query from which a policy would hide rows, as its own dump does. */
  static final String ALL_ROWS = "set local row_security = off";

  static final String SYSTEM = "select system_identifier from pg_control_system()";

  private static final String NOT_PERMITTED = "42501";

  private static final String PERMISSION =
      ": the role may not read the table, or row security hides rows of it, whose keys would be"
          + " rejected. Give the source a DataSource whose role reads all rows (bypassrls), by a"
          + " KeySource bean";

  private final DataSource dataSource;
  private final String query;
  private final int fetchSize;
  private final @Nullable String recentQuery;
  private final @Nullable ComparedColumn column;
  private final Duration timeout;

  /** Whether each column is a part of the key. */
  private final boolean parts;

  /** The lookup of a key, made of the query at the first one. */
  private volatile @Nullable Lookup lookup;

  /**
   * @param parameter the form of a key that can be a value of the column
   */
  private record Lookup(String sql, KeyParameter parameter) {}

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
    this.dataSource = dataSource;
    if (recentQuery != null && new SqlQuery(recentQuery).parameters() != 1) {
      throw new IllegalArgumentException(
          "The recent query [" + recentQuery + "] must have exactly one parameter");
    }
    this.query = statement(query, fetchSize);
    this.fetchSize = fetchSize;
    this.column = column;
    this.timeout = timeout;
    this.parts = column != null && column.parts();
    this.recentQuery = recentQuery == null ? null : statement(recentQuery);
  }

  /** {@inheritDoc} Keys of parts are not compared. */
  @Override
  public @Nullable KeyLookup lookup() {
    return parts ? null : this;
  }

  /** The query as a statement; refuses one without text, and a fetch size below 1. */
  static String statement(String query, int fetchSize) {
    String statement = statement(query);
    if (statement.isBlank()) {
      throw new IllegalArgumentException("The query of a key source must not be blank");
    }
    if (fetchSize < 1) {
      throw new IllegalArgumentException("The fetch size must be at least 1, not " + fetchSize);
    }
    return statement;
  }

  private static String statement(String query) {
    return query.strip().replaceAll(";+$", "");
  }

  @Override
  public void forEach(KeySink sink) {
    forEach(query, null, sink);
  }

  /** Catalog and schema, and in PostgreSQL the system identifier, which a failover keeps. */
  @Override
  public @Nullable String identity() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        ReadOnlyTransaction transaction = new ReadOnlyTransaction(connection, LOOKUP_TIMEOUT)) {
      String catalog = connection.getCatalog();
      String schema = connection.getSchema();
      return catalog == null && schema == null
          ? null
          : catalog + "/" + schema + "/" + system(connection);
    }
  }

  private static String system(Connection connection) throws SQLException {
    if (!isPostgres(connection)) {
      return "";
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(SYSTEM)) {
      return rows.next() ? rows.getString(1) : "";
    } catch (SQLException e) {
      return ""; // the role may not ask
    }
  }

  @Override
  public boolean knowsRecent() {
    return recentQuery != null;
  }

  @Override
  public void forEachRecent(Instant since, KeySink sink) {
    if (recentQuery == null) {
      throw new UnsupportedOperationException("This source has no recent query");
    }
    forEach(recentQuery, Timestamp.from(since), sink);
  }

  private void forEach(String sql, @Nullable Timestamp since, KeySink sink) {
    try (Connection connection = dataSource.getConnection();
        ReadOnlyTransaction transaction = new ReadOnlyTransaction(connection, timeout)) {
      requireColumn(transaction.connection, sql, since);
      if (since != null && !clockCompared) {
        clockCompared = true;
        DatabaseClock.compare(transaction.connection, source());
      }
      // Last: what could not be asked before has rolled back, and a setting with it.
      requireAllRows(transaction.connection);
      scan(transaction.connection, sql, since, sink);
    } catch (SQLException e) {
      throw failed(sql, e.getSQLState(), e);
    }
  }

  /** The recent query, for the log. */
  private String source() {
    return column == null
        ? "The recent query [" + recentQuery + "]"
        : column.property() + ".source.jdbc.recent-query";
  }

  static KeySourceException failed(String query, @Nullable String state, Exception cause) {
    String hint = NOT_PERMITTED.equals(state) ? PERMISSION : "";
    return new KeySourceException(
        "The key query [" + query + "] failed with SQL state " + state + hint, cause);
  }

  private static void requireAllRows(Connection connection) throws SQLException {
    if (isPostgres(connection)) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(ALL_ROWS);
      }
    }
  }

  static boolean isPostgres(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().equals(POSTGRES);
  }

  private void requireColumn(Connection connection, String sql, @Nullable Timestamp since)
      throws SQLException {
    if (column == null || (since != null && recentAccepted)) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      ResultSetMetaData columns = statement.getMetaData();
      int count = columns == null ? 0 : columns.getColumnCount();
      if (columns == null || count == 0) {
        column.require(ColumnEquality.doubtful("not described by the driver", "is unknown"));
        return;
      }
      for (int i = 1; i <= (parts ? count : 1); i++) {
        requireColumn(column, new JdbcColumn(connection, sql, since, columns, i));
      }
    }
    recentAccepted |= since != null;
  }

  private static void requireColumn(ComparedColumn compared, JdbcColumn column)
      throws SQLException {
    if (!column.isText()) {
      return; // numbers, UUIDs and the like have one way to be compared
    }
    ColumnEquality equality;
    try {
      equality = ColumnEquality.of(column);
    } catch (SQLException e) {
      // PostgreSQL takes no further statement in this transaction, of which nothing is needed yet.
      column.connection().rollback();
      equality =
          ColumnEquality.doubtful(
              "SQL state " + e.getSQLState() + " when its collation was asked for",
              "has an unknown collation");
    }
    compared.require(equality);
  }

  /**
   * {@inheritDoc} The database compares: with a value of the column's type, and if the key can be
   * none, with text that it converts.
   */
  @Override
  public void find(String key, KeySink sink) {
    Long from = lookupsFrom;
    if (from != null && System.nanoTime() - from < 0) {
      throw unable("took longer than " + LOOKUP_TIMEOUT);
    }
    try (Connection connection = dataSource.getConnection();
        ReadOnlyTransaction transaction = new ReadOnlyTransaction(connection, LOOKUP_TIMEOUT)) {
      requireAllRows(transaction.connection);
      find(transaction.connection, key, sink);
    } catch (SQLException e) {
      throw new KeySourceException(
          "no connection for a lookup; SQL state " + e.getSQLState(), null);
    }
  }

  private void find(Connection connection, String key, KeySink sink) throws SQLException {
    try {
      Lookup known = lookup;
      Lookup made = known == null ? lookup(connection) : known;
      lookup = made;
      try (PreparedStatement statement = connection.prepareStatement(made.sql())) {
        statement.setMaxRows(LOOKUP_ROWS);
        if (!made.parameter().bind(statement, key)) {
          KeyParameter.bindText(statement, key);
        }
        read(connection, statement, made.sql(), LOOKUP_TIMEOUT, sink);
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
    return new UnsupportedOperationException("a lookup in the query [" + query + "] " + why);
  }

  private Lookup lookup(Connection connection) throws SQLException {
    String label;
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      ResultSetMetaData columns = statement.getMetaData();
      if (columns == null || columns.getColumnCount() == 0) {
        throw new UnsupportedOperationException("the driver does not describe the key query");
      }
      label = columns.getColumnLabel(1);
    }
    // A blank says that there is no quoting.
    String quote = connection.getMetaData().getIdentifierQuoteString().strip();
    String column =
        "t." + quote + (quote.isEmpty() ? label : label.replace(quote, quote + quote)) + quote;
    String sql = "select " + column + " from (" + query + ") t where " + column + " = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      return new Lookup(sql, KeyParameter.of(statement));
    }
  }

  @Override
  public OptionalLong count() {
    try (Connection connection = dataSource.getConnection();
        ReadOnlyTransaction transaction = new ReadOnlyTransaction(connection, timeout);
        Statement statement = transaction.connection.createStatement()) {
      statement.setQueryTimeout(COUNT_TIMEOUT_SECONDS);
      try {
        OptionalLong planned = planned(transaction.connection, statement);
        return planned.isPresent() ? planned : counted(statement);
      } finally {
        // H2 keeps it for the connection, which goes back to the application's pool.
        statement.setQueryTimeout(0);
      }
    } catch (SQLException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * The estimate of PostgreSQL's planner; empty for any other database. PostgreSQL counts rows by
   * reading them all, so a count would cost a good part of the warm-up.
   */
  private OptionalLong planned(Connection connection, Statement statement) throws SQLException {
    if (!isPostgres(connection)) {
      return OptionalLong.empty();
    }
    try (ResultSet plan = statement.executeQuery("explain " + query)) {
      Matcher rows = PLANNED.matcher(plan.next() ? plan.getString(1) : "");
      return rows.find() ? OptionalLong.of(Long.parseLong(rows.group(1))) : OptionalLong.empty();
    }
  }

  private OptionalLong counted(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("select count(*) from (" + query + ") t")) {
      return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
    }
  }

  private void scan(Connection connection, String sql, @Nullable Timestamp since, KeySink sink)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
      boolean connectorJ = connection.getMetaData().getDriverName().startsWith("MySQL");
      if (since != null) {
        statement.setTimestamp(1, since);
      }
      statement.setFetchSize(connectorJ ? Integer.MIN_VALUE : fetchSize);
      long beyondTrust = read(connection, statement, sql, timeout, sink);
      if (column != null && since == null) {
        column.warnOf(beyondTrust);
      }
    }
  }

  /** Reads all rows; returns the number of texts that no trust in the collation covers. */
  private long read(
      Connection connection,
      PreparedStatement statement,
      String sql,
      Duration timeout,
      KeySink sink)
      throws SQLException {
    try (FetchWatch watch = new FetchWatch(connection, statement, timeout)) {
      sink.onCancel(watch::cancel);
      long beyondTrust = 0;
      try (ResultSet rows = statement.executeQuery()) {
        int columns = requireKeys(connection, sql, rows.getMetaData());
        if (columns == 1 && fitsLong(rows.getMetaData())) {
          longs(rows, sink, watch);
        } else {
          boolean text = new JdbcColumn(connection, sql, null, rows.getMetaData(), 1).isText();
          while (rows.next()) {
            watch.row();
            Object key =
                parts
                    ? list(rows, columns)
                    : text ? rows.getString(1) : integral(rows.getObject(1));
            beyondTrust += ComparedColumn.beyondTrust(column, key);
            sink.accept(key);
          }
        }
        if (watch.expired()) {
          // A driver may end the rows of a cancelled statement without an error.
          throw expired(sql, timeout, null);
        }
      } catch (SQLException e) {
        if (watch.expired()) {
          throw expired(sql, timeout, e);
        }
        throw e;
      } finally {
        sink.onCancel(null);
      }
      return beyondTrust;
    }
  }

  /** Accepts the columns of the key; returns their number. */
  private int requireKeys(Connection connection, String sql, ResultSetMetaData columns)
      throws SQLException {
    int count = parts ? columns.getColumnCount() : Math.min(1, columns.getColumnCount());
    if (count == 0) {
      throw new KeySourceException("The key query [" + sql + "] selects no column", null);
    }
    for (int i = 1; i <= count; i++) {
      new JdbcColumn(connection, sql, null, columns, i).requireKeys();
    }
    if (parts && count == 1) {
      throw oneColumn(sql);
    }
    return count;
  }

  private static KeySourceException expired(
      String sql, Duration timeout, @Nullable SQLException cause) {
    return new KeySourceException(
        "The key query [" + sql + "] yielded no row for " + timeout + " (source.jdbc.timeout)",
        cause);
  }

  private static boolean fitsLong(ResultSetMetaData columns) throws SQLException {
    return switch (columns.getColumnType(1)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> true;
      case Types.BIGINT -> columns.isSigned(1);
      case Types.NUMERIC, Types.DECIMAL ->
          columns.getScale(1) == 0
              && columns.getPrecision(1) > 0
              && columns.getPrecision(1) <= LONG_DIGITS;
      default -> false;
    };
  }

  private static void longs(ResultSet rows, KeySink sink, FetchWatch watch) throws SQLException {
    while (rows.next()) {
      watch.row();
      long key = rows.getLong(1);
      if (rows.wasNull()) {
        sink.accept(null);
      } else {
        sink.accept(key);
      }
    }
  }

  static KeySourceException oneColumn(String sql) {
    return new KeySourceException(
        "The key query ["
            + sql
            + "] selects one column, but the keys have a scope (keys.scope): select the scope as"
            + " the first column, and the rest of the key behind it",
        null);
  }

  private static @Nullable Object list(ResultSet rows, int columns) throws SQLException {
    List<@Nullable Object> parts = new ArrayList<>(columns);
    for (int i = 1; i <= columns; i++) {
      parts.add(integral(rows.getObject(i)));
    }
    return parts.contains(null) ? null : parts;
  }

  /** A decimal without a fraction is the integer it stands for; all else is what it is. */
  static @Nullable Object integral(@Nullable Object key) {
    if (key instanceof BigDecimal number && number.stripTrailingZeros().scale() <= 0) {
      return number.toBigInteger();
    }
    return key;
  }

  /** A connection in a read-only transaction; gives it back in the modes it came in. */
  private static final class ReadOnlyTransaction implements AutoCloseable {

    private static final Duration SLACK = Duration.ofSeconds(5);

    private final Connection connection;
    private final boolean readOnly;
    private final boolean autoCommit;

    private final NetworkTimeout networkTimeout;

    /**
     * @param timeout of a fetch: the server may be silent a little longer, so that its statement is
     *     cancelled before the connection is given up
     */
    ReadOnlyTransaction(Connection connection, Duration timeout) throws SQLException {
      this.connection = connection;
      this.networkTimeout = NetworkTimeout.of(connection, timeout.plus(SLACK));
      this.readOnly = connection.isReadOnly();
      this.autoCommit = connection.getAutoCommit();
      // In this order: within a transaction the mode can no longer be changed.
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
    }

    @Override
    public void close() throws SQLException {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
      connection.setReadOnly(readOnly);
      networkTimeout.close();
    }
  }
}
