package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.ConfirmProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.SourceBackend;
import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.source.ComparedColumn;
import io.bloomguard.source.JdbcExactSource;
import io.bloomguard.source.JdbcKeySource;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** Sources that are queries over JDBC, and the exact sources of blacklists. */
final class JdbcSources implements SourceBackend {

  private final BloomguardProperties properties;
  private final ListableBeanFactory beans;

  JdbcSources(BloomguardProperties properties, ListableBeanFactory beans) {
    this.properties = properties;
    this.beans = beans;
  }

  @Override
  public String name() {
    return "jdbc";
  }

  @Override
  public KeySource source(String filter, Map<String, String> settings) {
    FilterProperties of = properties.filter(filter);
    SourceProperties.Jdbc jdbc = Objects.requireNonNull(of.source().jdbc());
    JdbcKeySource source =
        new JdbcKeySource(
            dataSource(filter, "source", jdbc.dataSource()),
            Objects.requireNonNullElse(of.source().query(), jdbc.recentQuery()),
            jdbc.fetchSize(),
            jdbc.recentQueryOrNull(),
            new ComparedColumn(
                "bloomguard.filters." + filter,
                name(),
                properties.folding(of),
                jdbc.trustCollation()),
            jdbc.timeout());
    return properties.scopeColumn(filter) != null ? source.ofParts() : source;
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
    String[] names = beans.getBeanNamesForType(DataSource.class);
    String property = "bloomguard.filters." + filter + "." + use + ".jdbc.data-source";
    if (!named.isBlank()) {
      if (!Arrays.asList(names).contains(named)) {
        throw new StartRefusedException(
            "%s is '%s', which is no bean of type javax.sql.DataSource; available: %s"
                .formatted(property, named, Arrays.toString(names)),
            "Correct the name, or leave it out where there is one data source.");
      }
      return beans.getBean(named, DataSource.class);
    }
    DataSource dataSource = beans.getBeanProvider(DataSource.class).getIfUnique();
    if (names.length == 0) {
      throw new MissingSourceException(
          filter, "JDBC " + use, "one data source", withoutDataSource(filter, use));
    }
    if (dataSource == null) {
      throw new StartRefusedException(
          "Filter '%s' has a JDBC %s, which needs one data source; this application has %s"
              .formatted(filter, use, Arrays.toString(names)),
          "Set " + property + " to one of these names, or mark one as @Primary.");
    }
    return dataSource;
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
