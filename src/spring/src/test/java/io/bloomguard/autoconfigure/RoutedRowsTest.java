package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.datasource.lookup.IsolationLevelDataSourceRouter;
import reactor.core.publisher.Mono;

/** Pools that choose the database of each call. */
@ExtendWith(OutputCaptureExtension.class)
class RoutedRowsTest {

  static class ByTenant extends AbstractRoutingDataSource {
    @Override
    public void afterPropertiesSet() {}

    @Override
    protected @Nullable Object determineCurrentLookupKey() {
      return null;
    }
  }

  static class ByIsolation extends IsolationLevelDataSourceRouter {
    @Override
    public void afterPropertiesSet() {}
  }

  /** As Spring's own, which spring-r2dbc has. */
  abstract static class AbstractRoutingConnectionFactory implements ConnectionFactory {}

  static class Connections extends AbstractRoutingConnectionFactory {
    @Override
    public Mono<io.r2dbc.spi.Connection> create() {
      return Mono.empty();
    }

    @Override
    public ConnectionFactoryMetadata getMetadata() {
      return () -> "routed";
    }
  }

  static class ById {
    @BloomGuarded(filter = "things", key = "#id")
    public Optional<String> find(long id) {
      return Optional.empty();
    }
  }

  static class WithTenant {
    @BloomGuarded(filter = "things", key = "{#tenantId, #id}")
    public Optional<String> find(long tenantId, long id) {
      return Optional.empty();
    }

    @BloomGuarded(filter = "things", key = "#id", caching = Caching.NONE)
    public Optional<String> decided(long id) {
      return Optional.empty();
    }
  }

  @Test
  void aPoolThatRoutesIsNamedOnce(CapturedOutput output) {
    start(DataSource.class, ByTenant::new, ById.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("$ByTenant chooses the database")
        .contains("caching = NONE");
  }

  @Test
  void aPoolBehindAnotherIsNamed(CapturedOutput output) {
    start(DataSource.class, () -> new LazyConnectionDataSourceProxy(new ByTenant()), ById.class);
    assertThat(warnings(output)).singleElement().asString().contains("$ByTenant");
  }

  @Test
  void connectionsThatAreRoutedAreNamed(CapturedOutput output) {
    start(ConnectionFactory.class, Connections::new, ById.class);
    assertThat(warnings(output)).singleElement().asString().contains("$Connections");
  }

  @Test
  void aTenantInTheKeyOrNoEntriesNeedNoWarning(CapturedOutput output) {
    start(DataSource.class, ByTenant::new, WithTenant.class);
    assertThat(warnings(output)).isEmpty();
  }

  @Test
  void otherPoolsAreNotNamed(CapturedOutput output) {
    start(DataSource.class, ByIsolation::new, ById.class);
    start(DataSource.class, DriverManagerDataSource::new, ById.class);
    assertThat(warnings(output)).isEmpty();
  }

  private static <T> void start(Class<T> type, Supplier<T> pool, Class<?> bean) {
    ApplicationContextRunner application =
        Wiring.application()
            .withPropertyValues("bloomguard.filters.things.expected-insertions=1000")
            .withBean(type, pool);
    application.withBean("guarded", bean).run(context -> assertThat(context).hasNotFailed());
  }

  private static List<String> warnings(CapturedOutput output) {
    return output.getAll().lines().filter(line -> line.contains("RoutedRows")).toList();
  }
}
