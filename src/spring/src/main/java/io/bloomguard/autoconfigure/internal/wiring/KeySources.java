package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.ConfirmProperties;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.ExactSource;
import io.bloomguard.source.ComparedColumn;
import io.bloomguard.source.FileKeySource;
import io.bloomguard.source.JdbcExactSource;
import io.bloomguard.source.JdbcKeySource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** Makes the key source that a filter's properties name. */
final class KeySources {

  private final ListableBeanFactory beans;

  KeySources(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * The source of {@code filter}, null where none is configured.
   *
   * @param scoped whether its rows begin with the scope of their keys
   * @throws MissingSourceException if the application lacks the part that it reads from
   * @throws InvalidBloomguardSettingException if what it names is not there
   */
  @Nullable KeySource source(
      String filter, SourceProperties source, KeyFolding folding, boolean scoped) {
    if (source.jdbc() != null) {
      JdbcKeySource jdbc = jdbc(filter, source.jdbc(), folding);
      return scoped ? jdbc.ofParts() : jdbc;
    }
    if (source.r2dbc() != null) {
      return R2dbcKeySources.source(beans, filter, source.r2dbc(), folding, scoped);
    }
    if (source.file() != null) {
      return file(filter, Path.of(source.file().path()));
    }
    return source.bean() == null ? null : bean(filter, source.bean());
  }

  /**
   * The exact source that {@code filter} asks before it rejects a key, null where none is
   * configured.
   *
   * @throws MissingSourceException if the application lacks the part that it reads from
   * @throws InvalidBloomguardSettingException if what it names is not there
   */
  @Nullable ExactSource exact(String filter, @Nullable ConfirmProperties confirm) {
    ConfirmProperties.Jdbc jdbc = confirm == null ? null : confirm.jdbc();
    if (jdbc == null) {
      return null;
    }
    DataSource dataSource = dataSource(filter, "confirm", jdbc.dataSource());
    return new JdbcExactSource(dataSource, jdbc.sql(), jdbc.timeout());
  }

  private JdbcKeySource jdbc(String filter, SourceProperties.Jdbc jdbc, KeyFolding folding) {
    DataSource dataSource = dataSource(filter, "source", jdbc.dataSource());
    return new JdbcKeySource(
        dataSource,
        jdbc.query(),
        jdbc.fetchSize(),
        jdbc.recentQueryOrNull(),
        new ComparedColumn("bloomguard.filters." + filter, "jdbc", folding, jdbc.trustCollation()),
        jdbc.timeout());
  }

  /**
   * @param use {@code source} or {@code confirm}
   */
  private DataSource dataSource(String filter, String use, String named) {
    String[] names = beans.getBeanNamesForType(DataSource.class);
    String property = "bloomguard.filters." + filter + "." + use + ".jdbc.data-source";
    if (!named.isBlank()) {
      if (!Arrays.asList(names).contains(named)) {
        throw new InvalidBloomguardSettingException(
            property
                + " is '"
                + named
                + "', which is no bean of type javax.sql.DataSource; available: "
                + Arrays.toString(names),
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
      throw new InvalidBloomguardSettingException(
          "Filter '"
              + filter
              + "' has a JDBC "
              + use
              + ", which needs one data source; this application has "
              + Arrays.toString(names),
          "Set " + property + " to one of these names, or mark one as @Primary.");
    }
    return dataSource;
  }

  /** Spring Boot makes no data source beside a reactive connection factory. */
  private String withoutDataSource(String filter, String use) {
    String bean = "declare a bean of type javax.sql.DataSource";
    if (use.equals("source")) {
      String source = "bloomguard.filters." + filter + ".source";
      if (R2dbcKeySources.isPossible(beans)) {
        return "This application has an R2DBC connection factory: set "
            + source
            + ".r2dbc.query in place of "
            + source
            + ".jdbc.query. Or "
            + bean
            + ".";
      }
      bean += ", or read the keys by a KeySource bean that " + source + ".bean names";
    }
    return "Add org.springframework.boot:spring-boot-starter-jdbc with a driver and set"
        + " spring.datasource.url, or "
        + bean
        + ". In a test without a data source, set bloomguard.enabled=false.";
  }

  private static KeySource file(String filter, Path path) {
    if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
      throw new InvalidBloomguardSettingException(
          "Filter '"
              + filter
              + "' reads its keys from '"
              + path
              + "', which is no readable file (seen from "
              + Path.of("").toAbsolutePath()
              + ")",
          "Set bloomguard.filters." + filter + ".source.file.path to a file with one key a line.");
    }
    return new FileKeySource(path);
  }

  private KeySource bean(String filter, String name) {
    if (!beans.containsBean(name) || !beans.isTypeMatch(name, KeySource.class)) {
      throw new InvalidBloomguardSettingException(
          "Filter '"
              + filter
              + "' takes its keys from the bean '"
              + name
              + "', which is no bean of type "
              + KeySource.class.getName()
              + "; available: "
              + Arrays.toString(beans.getBeanNamesForType(KeySource.class)),
          "Declare such a bean, or correct the name.");
    }
    return new KeySource() {
      @Override
      public void forEach(KeySink sink) throws Exception {
        resolve().forEach(sink);
      }

      @Override
      public OptionalLong count() throws Exception {
        return resolve().count();
      }

      @Override
      public boolean knowsRecent() {
        return resolve().knowsRecent();
      }

      @Override
      public void forEachRecent(Instant since, KeySink sink) throws Exception {
        resolve().forEachRecent(since, sink);
      }

      @Override
      public @Nullable KeyLookup lookup() {
        return resolve().lookup();
      }

      /** Late, because the bean may itself use what is guarded. */
      private KeySource resolve() {
        return beans.getBean(name, KeySource.class);
      }
    };
  }
}
