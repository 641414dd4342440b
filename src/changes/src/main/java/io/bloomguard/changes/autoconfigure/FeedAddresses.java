package io.bloomguard.changes.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.bloomguard.autoconfigure.internal.properties.ChangesProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.changes.internal.TransactionIds;
import io.bloomguard.changes.internal.database.DatabaseAddress;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.ClassUtils;

/** The addresses of databases, taken from the application's data sources. */
final class FeedAddresses {

  private static final boolean HIKARI = isPresent("com.zaxxer.hikari.HikariDataSource");
  private static final boolean DETAILS =
      isPresent("org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails");

  private static final boolean JDBC =
      isPresent("org.springframework.jdbc.datasource.ConnectionHolder");

  private FeedAddresses() {}

  private static boolean isPresent(String type) {
    return ClassUtils.isPresent(type, FeedAddresses.class.getClassLoader());
  }

  private static String named(SourceProperties source) {
    return source.jdbc() == null ? "" : source.jdbc().dataSource();
  }

  /** The data source of the filter's source, or the one there is; null for none. */
  private static @Nullable DataSource dataSource(
      SourceProperties source, ListableBeanFactory beans) {
    String named = named(source);
    return named.isBlank()
        ? beans.getBeanProvider(DataSource.class).getIfUnique()
        : beans.getBean(named, DataSource.class);
  }

  /** Asks for transactions of the same data source. */
  static Supplier<Transactions.Id> transactions(
      SourceProperties source, ListableBeanFactory beans) {
    DataSource dataSource = JDBC ? dataSource(source, beans) : null;
    return dataSource == null ? () -> Transactions.Id.UNKNOWN : new TransactionIds(dataSource);
  }

  /** The address of the database of the filter's source, or of the one data source. */
  static DatabaseAddress of(String filter, SourceProperties source, ListableBeanFactory beans) {
    String named = named(source);
    DataSource dataSource = dataSource(source, beans);
    if (dataSource == null) {
      throw new StartRefusedException(
          "Filter '"
              + filter
              + "' has source.changes.from: database, which needs one data source; this application"
              + " has "
              + beans.getBeanNamesForType(DataSource.class).length,
          "Set spring.datasource.url, or name one by source.jdbc.data-source.");
    }
    ChangesProperties changes = Objects.requireNonNull(source.changes());
    DatabaseAddress address = HIKARI ? OfPool.address(dataSource, changes) : null;
    if (address == null && DETAILS && named.isBlank()) {
      address = OfDetails.address(beans, changes);
    }
    if (address == null) {
      throw new StartRefusedException(
          "Filter '"
              + filter
              + "' has source.changes.from: database, but the address of its data source is not"
              + " jdbc:postgresql://host:port/database, jdbc:mariadb://… or jdbc:mysql://… with a"
              + " user",
          "Use such an address of one server (in spring.datasource.url, or a HikariDataSource), or"
              + " read the changes from: kafka.");
    }
    return address;
  }

  private static @Nullable DatabaseAddress address(
      @Nullable String url,
      @Nullable String user,
      @Nullable String password,
      ChangesProperties changes) {
    if (url == null) {
      return null;
    }
    return changes.username().isBlank()
        ? DatabaseAddress.parse(url, user, password)
        : DatabaseAddress.parse(url, changes.username(), changes.password());
  }

  /** Apart, because the pool may be missing. */
  private static final class OfPool {

    static @Nullable DatabaseAddress address(DataSource dataSource, ChangesProperties changes) {
      try {
        if (!dataSource.isWrapperFor(HikariDataSource.class)) {
          return null;
        }
        HikariDataSource pool = dataSource.unwrap(HikariDataSource.class);
        return FeedAddresses.address(
            pool.getJdbcUrl(), pool.getUsername(), pool.getPassword(), changes);
      } catch (SQLException e) {
        return null;
      }
    }
  }

  /** Apart, because Spring Boot's JDBC may be missing. */
  private static final class OfDetails {

    static @Nullable DatabaseAddress address(ListableBeanFactory beans, ChangesProperties changes) {
      JdbcConnectionDetails details =
          beans.getBeanProvider(JdbcConnectionDetails.class).getIfUnique();
      return details == null
          ? null
          : FeedAddresses.address(
              details.getJdbcUrl(), details.getUsername(), details.getPassword(), changes);
    }
  }
}
