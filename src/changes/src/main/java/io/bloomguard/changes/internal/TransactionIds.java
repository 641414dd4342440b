package io.bloomguard.changes.internal;

import io.bloomguard.guard.Transactions;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The ids of the transactions of one data source, as the records of its database's log name them.
 * Needs spring-jdbc.
 */
public final class TransactionIds implements Supplier<Transactions.Id> {

  private static final Logger log = LoggerFactory.getLogger(TransactionIds.class);

  private final DataSource dataSource;

  /** Null while its questions have not been tried out. */
  private volatile @Nullable Product product;

  /** Whether the database could not be asked as that was tried out. */
  private final AtomicBoolean away = new AtomicBoolean();

  /** The last transaction of each thread, which may have several writes. */
  private final ThreadLocal<@Nullable Transaction> last = new ThreadLocal<>();

  /** How a database tells of its transactions. */
  private enum Product {
    /** Its records have the lower 32 bits of the number, which a transaction gets by a write. */
    POSTGRESQL(
        "select case when pg_is_in_recovery() then null else pg_current_xact_id()::text end"),
    /** Known after the commit. */
    MARIADB("select nullif(@@last_gtid, '')");

    private final String query;

    Product(String query) {
      this.query = query;
    }

    @Nullable String ask(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet answer = statement.executeQuery(query)) {
        String id = answer.next() ? answer.getString(1) : null;
        return this == MARIADB || id == null
            ? id
            : Long.toString(Long.parseUnsignedLong(id) & 0xffff_ffffL);
      }
    }
  }

  /**
   * The ids of the transactions of a data source. They are unknown until its database has answered
   * once: a question that it does not know would abort a transaction.
   *
   * @param dataSource the data source, as its transaction manager has it
   */
  public TransactionIds(DataSource dataSource) {
    this.dataSource = dataSource;
    beginToTryOut();
  }

  /** On a thread of its own: the database may be away. */
  private void beginToTryOut() {
    Thread asks = new Thread(this::tryOut, "bloomguard-transactions");
    asks.setDaemon(true);
    asks.start();
  }

  private void tryOut() {
    boolean connected = false;
    try (Connection connection = dataSource.getConnection()) {
      connected = true;
      String name = connection.getMetaData().getDatabaseProductName();
      for (Product each : Product.values()) {
        if (each.name().equalsIgnoreCase(name)) {
          each.ask(connection);
          product = each;
        }
      }
    } catch (SQLException | RuntimeException e) {
      away.set(!connected);
      log.info(
          "A database does not tell the ids of transactions, so changes by this application are"
              + " taken in as those of other programs are: {}",
          e.getMessage());
    }
  }

  /** Asks for the transaction that is bound to the calling thread. */
  @Override
  public Transactions.Id get() {
    Product asked = product;
    if (!(TransactionSynchronizationManager.getResource(dataSource)
        instanceof ConnectionHolder holder)) {
      return Transactions.Id.UNKNOWN;
    }
    if (asked == null) {
      if (away.compareAndSet(true, false)) {
        beginToTryOut();
      }
      return Transactions.Id.UNKNOWN;
    }
    Transaction known = last.get();
    if (known == null || known.holder.get() != holder) {
      try {
        known = new Transaction(asked, holder);
      } catch (RuntimeException e) {
        // One whose connection was given back, as within a transaction of another manager.
        log.debug("A transaction is not known to its feed", e);
        return Transactions.Id.UNKNOWN;
      }
      last.set(known);
    }
    if (asked == Product.POSTGRESQL) {
      known.get();
    }
    return known;
  }

  /** A transaction, which is asked for its id once. */
  private static final class Transaction implements Transactions.Id {

    private final Product product;
    private final WeakReference<ConnectionHolder> holder;

    /** Not that of the holder after the commit, which may be another one. */
    private @Nullable Connection connection;

    private @Nullable String id;

    Transaction(Product product, ConnectionHolder holder) {
      this.product = product;
      this.holder = new WeakReference<>(holder);
      this.connection = holder.getConnection();
    }

    @Override
    public @Nullable String get() {
      Connection unasked = connection;
      if (unasked != null) {
        connection = null;
        try {
          id = product.ask(unasked);
        } catch (SQLException e) {
          log.debug("A transaction is not known to its feed", e);
        }
      }
      return id;
    }
  }
}
