package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.generation.KeySource;
import io.bloomguard.source.internal.ComparedColumn;
import io.bloomguard.source.internal.R2dbcKeySource;
import io.r2dbc.spi.ConnectionFactory;
import java.util.Objects;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Sources that are queries over R2DBC, which an application may lack. */
record R2dbcSources(BloomguardProperties properties, ListableBeanFactory beans) {

  private static final boolean PRESENT =
      ClassUtils.isPresent("io.r2dbc.spi.ConnectionFactory", R2dbcSources.class.getClassLoader())
          && ClassUtils.isPresent(
              "reactor.core.publisher.Flux", R2dbcSources.class.getClassLoader());

  /** Whether the application has a reactive connection factory. */
  static boolean isPossible(ListableBeanFactory beans) {
    return PRESENT && Connections.names(beans).length > 0;
  }

  KeySource source(String filter) {
    if (!isPossible(beans)) {
      throw new MissingSourceException(
          filter,
          "R2DBC source",
          "one connection factory",
          "Add org.springframework.boot:spring-boot-starter-data-r2dbc with a driver and set"
              + " spring.r2dbc.url, or declare a bean of type io.r2dbc.spi.ConnectionFactory. In a"
              + " test without one, set bloomguard.enabled=false.");
    }
    SourceProperties.R2dbc r2dbc =
        Objects.requireNonNull(properties.filter(filter).source().r2dbc());
    ComparedColumn column = SourceBackends.column(properties, filter, "r2dbc");
    return Connections.source(beans, filter, r2dbc.query(), column);
  }

  /** Loaded only where R2DBC is present. */
  private static final class Connections {

    static String[] names(ListableBeanFactory beans) {
      return beans.getBeanNamesForType(ConnectionFactory.class, true, false);
    }

    static KeySource source(
        ListableBeanFactory beans, String filter, String query, ComparedColumn column) {
      ConnectionFactory connections =
          ChosenBean.only(
              beans,
              ConnectionFactory.class,
              "Filter '" + filter + "' has an R2DBC source, which needs one connection factory",
              "Mark");
      return new R2dbcKeySource(connections, query, R2dbcKeySource.FETCH_SIZE, column);
    }
  }
}
