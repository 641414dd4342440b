package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions.End;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The end of a write, as far as the failure of its method shows it. */
final class SeenEnd {

  /** The bound on the causes of a failure that are looked at. */
  private static final int CAUSES = 20;

  /** A time limit, or a connection that is gone. */
  private static final Set<Class<? extends Exception>> UNSEEN =
      Set.of(
          CancellationException.class,
          InterruptedException.class,
          TimeoutException.class,
          IOException.class,
          SQLTimeoutException.class,
          SQLRecoverableException.class,
          SQLNonTransientConnectionException.class);

  /** By name, since their libraries may be absent. */
  private static final Set<String> UNSEEN_OF_LIBRARIES =
      Set.of(
          "org.springframework.dao.QueryTimeoutException",
          "org.springframework.dao.DataAccessResourceFailureException",
          "io.r2dbc.spi.R2dbcTimeoutException",
          "io.r2dbc.spi.R2dbcNonTransientResourceException",
          "io.r2dbc.spi.R2dbcTransientResourceException");

  private SeenEnd() {}

  /**
   * The end of a write without a transaction, whose method failed or not. A statement may be under
   * way, and commit, although its caller was interrupted, waited no longer or lost its connection.
   */
  static End of(@Nullable Throwable failure) {
    if (failure == null) {
      return End.COMMITTED;
    }
    int depth = 0;
    for (Throwable e = failure; e != null && depth < CAUSES; e = e.getCause(), depth++) {
      if (isUnseen(e)) {
        return End.UNKNOWN;
      }
    }
    return Thread.currentThread().isInterrupted() ? End.UNKNOWN : End.ROLLED_BACK;
  }

  private static boolean isUnseen(Throwable failure) {
    // PostgreSQL's driver has no type for a lost connection, but the state of the SQL standard.
    if (failure instanceof SQLException e && e.getSQLState() != null) {
      if (e.getSQLState().startsWith("08")) {
        return true;
      }
    }
    for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
      if (UNSEEN.contains(type) || UNSEEN_OF_LIBRARIES.contains(type.getName())) {
        return true;
      }
    }
    return false;
  }
}
