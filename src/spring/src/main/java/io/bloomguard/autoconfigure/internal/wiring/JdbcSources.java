package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.ConfirmProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.source.internal.JdbcExactSource;
import io.bloomguard.source.internal.JdbcKeySource;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** Sources that are queries over JDBC, and the exact sources of blacklists. */
record JdbcSources(BloomguardProperties properties, ListableBeanFactory beans) {

  KeySource source(String filter) {
    SourceProperties source = properties.filter(filter).source();
    SourceProperties.Jdbc jdbc = Objects.requireNonNull(source.jdbc());
    return new JdbcKeySource(
        dataSource(filter, "source", jdbc.dataSource()),
        Objects.requireNonNullElse(source.query(), jdbc.recentQuery()),
        jdbc.fetchSize(),
        jdbc.recentQueryOrNull(),
        SourceBackends.column(properties, filter, "jdbc"),
        jdbc.timeout());
  }

  /**
   * The exact source that {@code filter} asks before it rejects a key, null where none is
   * configured.
   *
   * @throws MissingSourceException if the application lacks the part that it reads from
   * @throws StartRefusedException if what it names is not there
   */
  @Nullable ExactSource exact(String filter, @Nullable ConfirmProperties confirm) {
    ConfirmProperties.Jdbc jdbc = confirm == null ? null : confirm.jdbc();
    if (jdbc == null) {
      return null;
    }
    DataSource dataSource = dataSource(filter, "confirm", jdbc.dataSource());
    return new JdbcExactSource(dataSource, jdbc.sql(), jdbc.timeout());
  }

  /**
   * @param use {@code source} or {@code confirm}
   */
  private DataSource dataSource(String filter, String use, String named) {
    String property = "bloomguard.filters." + filter + "." + use + ".jdbc.data-source";
    List<String> names = List.of(beans.getBeanNamesForType(DataSource.class));
    if (names.contains(named)) {
      return beans.getBean(named, DataSource.class);
    }
    if (!named.isBlank()) {
      throw ChosenBean.unknown(
          beans,
          property,
          named,
          DataSource.class,
          "Correct the name, or leave it out where there is one data source.");
    }
    if (names.isEmpty()) {
      throw new MissingSourceException(
          filter, "JDBC " + use, "one data source", withoutDataSource(filter, use));
    }
    return ChosenBean.only(
        beans,
        DataSource.class,
        "Filter '" + filter + "' has a JDBC " + use + ", which needs one data source",
        "Set " + property + " to one of these names, or mark");
  }

  /** Spring Boot makes no data source beside a reactive connection factory. */
  private String withoutDataSource(String filter, String use) {
    String bean = "declare a bean of type javax.sql.DataSource";
    if (use.equals("source")) {
      String source = "bloomguard.filters." + filter + ".source";
      if (R2dbcSources.isPossible(beans)) {
        return ("This application has an R2DBC connection factory: set %s.r2dbc.query in place of"
                + " %s.jdbc.query. Or %s.")
            .formatted(source, source, bean);
      }
      bean += ", or read the keys by a KeySource bean that " + source + ".bean names";
    }
    return "Add org.springframework.boot:spring-boot-starter-jdbc with a driver and set"
        + " spring.datasource.url, or "
        + bean
        + ". In a test without a data source, set bloomguard.enabled=false.";
  }
}
