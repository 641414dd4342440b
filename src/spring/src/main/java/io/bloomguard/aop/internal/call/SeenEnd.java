package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions.End;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The end of a write, as far as the failure of its method shows it. */
final class SeenEnd {

  /** The bound on the causes of a failure that are looked at. */
  private static final int CAUSES = 20;

  /** A time limit, or a connection that is gone; some by name, since they may be absent. */
  private static final Set<String> UNSEEN =
      Set.of(
          CancellationException.class.getName(),
          InterruptedException.class.getName(),
          TimeoutException.class.getName(),
          IOException.class.getName(),
          "java.sql.SQLTimeoutException",
          "java.sql.SQLRecoverableException",
          "java.sql.SQLNonTransientConnectionException",
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
    boolean unseen =
        Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
            .limit(CAUSES)
            .anyMatch(SeenEnd::isUnseen);
    return unseen || Thread.currentThread().isInterrupted() ? End.UNKNOWN : End.ROLLED_BACK;
  }

  private static boolean isUnseen(Throwable failure) {
    // PostgreSQL's driver has no type for a lost connection, but the state of the SQL standard.
    boolean lost =
        failure instanceof SQLException e && String.valueOf(e.getSQLState()).startsWith("08");
    return lost
        || Stream.<Class<?>>iterate(failure.getClass(), Objects::nonNull, Class::getSuperclass)
            .anyMatch(type -> UNSEEN.contains(type.getName()));
  }
}
