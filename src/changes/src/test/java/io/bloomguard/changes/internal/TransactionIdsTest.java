package io.bloomguard.changes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.Transactions;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The ids of transactions, of a database that answers as PostgreSQL does. */
class TransactionIdsTest {

  private final Answering dataSource = new Answering();

  @BeforeEach
  void begin() {
    TransactionSynchronizationManager.initSynchronization();
  }

  @AfterEach
  void end() {
    TransactionSynchronizationManager.unbindResourceIfPossible(dataSource);
    TransactionSynchronizationManager.clear();
  }

  /** The number of a transaction has 64 bits, of which the log has the lower ones. */
  @Test
  void itIsTheLowerHalfOfTheNumber() {
    DataSourceUtils.getConnection(dataSource);
    assertThat(known(new TransactionIds(dataSource)).get()).isEqualTo("5");
  }

  private static Transactions.Id known(TransactionIds ids) {
    return await().pollInSameThread().until(ids::get, id -> id != Transactions.Id.UNKNOWN);
  }

  /** As a transaction of another manager does, within which another one was. */
  @Test
  void aConnectionThatWasGivenBackFailsNoCommit() {
    TransactionIds ids = new TransactionIds(dataSource);
    DataSourceUtils.getConnection(dataSource);
    known(ids);
    end();
    begin();
    DataSourceUtils.releaseConnection(DataSourceUtils.getConnection(dataSource), dataSource);
    List<TransactionSynchronization> all = TransactionSynchronizationManager.getSynchronizations();
    all.forEach(TransactionSynchronization::suspend);
    all.forEach(TransactionSynchronization::resume);
    assertThat(ids.get()).isEqualTo(Transactions.Id.UNKNOWN);
  }

  @Test
  void aDatabaseThatIsAwayAtTheStartIsAskedOnceItIsBack() {
    dataSource.away = new IllegalStateException("no database is chosen");
    TransactionIds ids = new TransactionIds(dataSource);
    await().until(() -> dataSource.refused);
    dataSource.away = null;
    DataSourceUtils.getConnection(dataSource);
    assertThat(known(ids).get()).isEqualTo("5");
  }

  private static final class Answering extends AbstractDataSource {

    private volatile @Nullable RuntimeException away;
    private volatile boolean refused;

    @Override
    public Connection getConnection() throws SQLException {
      RuntimeException why = away;
      if (why != null) {
        refused = true;
        throw why;
      }
      return answering(Connection.class);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      return getConnection();
    }

    /** A part of the driver whose every answer is the same. */
    private static <T> T answering(Class<T> part) {
      return part.cast(
          Proxy.newProxyInstance(
              part.getClassLoader(),
              new Class<?>[] {part},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "getMetaData" -> answering(DatabaseMetaData.class);
                    case "createStatement" -> answering(Statement.class);
                    case "executeQuery" -> answering(ResultSet.class);
                    case "next" -> true;
                    case "getDatabaseProductName" -> "PostgreSQL";
                    case "getString" -> Long.toString((3L << 32) + 5);
                    default -> null;
                  }));
    }
  }
}
