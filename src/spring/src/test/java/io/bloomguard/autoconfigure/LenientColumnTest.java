package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** A key that is text in Java and a number in the table, whose database converts it. */
class LenientColumnTest {

  static class Products {

    private final JdbcClient jdbc;

    Products(DataSource dataSource) {
      this.jdbc = JdbcClient.create(dataSource);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<String> find(String id) {
      return jdbc.sql("select name from product where id = ?")
          .param(id)
          .query(String.class)
          .optional();
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> mono(String id) {
      return Mono.fromSupplier(
          () ->
              jdbc.sql("select name from product where id = ?")
                  .param(id)
                  .query(String.class)
                  .optional()
                  .orElse(null));
    }
  }

  private static ApplicationContextRunner application(String source) {
    return Wiring.application()
        .withConfiguration(
            AutoConfigurations.of(
                DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class))
        .withBean(Products.class)
        .withPropertyValues(
            "spring.datasource.generate-unique-name=true",
            "spring.datasource.hikari.maximum-pool-size=1",
            "spring.datasource.url=jdbc:h2:mem:lenient;INIT=create table if not exists product (id"
                + " bigint primary key, name varchar(20))\\;merge into product values (42\\,"
                + " 'lamp')",
            "bloomguard.filters.products." + source,
            "bloomguard.filters.products.warm-up.mode=blocking");
  }

  private static ConfiguredFilter filter(ApplicationContext context) {
    return context.getBean(ConfiguredFilters.class).all().get(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"042", " 42", "+42", "0000000000000000042"})
  void aSpellingDisarmsNothing(String spelled) {
    application("source.jdbc.query=select id from product")
        .run(
            context -> {
              Products products = context.getBean(Products.class);
              assertThat(products.find(spelled)).contains("lamp");
              assertThat(filter(context).guarded().verification().spellings()).isOne();
              assertThat(filter(context).managed().status().state()).isEqualTo(FilterState.READY);
              assertThat(products.find("42")).contains("lamp");
            });
  }

  @Test
  void aRowThatNoWriteAnnouncedDisarmsByAnySpelling() {
    application("source.jdbc.query=select id from product")
        .run(
            context -> {
              JdbcClient.create(context.getBean(DataSource.class))
                  .sql("insert into product values (43, 'desk')")
                  .update();
              assertThat(context.getBean(Products.class).find("043")).contains("desk");
              assertThat(filter(context).managed().status().state())
                  .isEqualTo(FilterState.DISARMED);
            });
  }

  @Test
  void aPublisherGetsItsVerdictLater() {
    application("source.jdbc.query=select id from product")
        .run(
            context -> {
              assertThat(context.getBean(Products.class).mono("042").block()).isEqualTo("lamp");
              await()
                  .untilAsserted(
                      () ->
                          assertThat(filter(context).guarded().verification().spellings()).isOne());
              assertThat(filter(context).guarded().verification().wrong()).isZero();
            });
  }

  /** The transaction has the pool's only connection until its end. */
  @Test
  void aTransactionGetsItsVerdictLater() {
    application("source.jdbc.query=select id from product")
        .run(
            context -> {
              assertThat(context.getBean(Products.class).find("9")).isEmpty();
              new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                  .executeWithoutResult(
                      status ->
                          assertThat(context.getBean(Products.class).find("042")).contains("lamp"));
              await()
                  .untilAsserted(
                      () ->
                          assertThat(filter(context).guarded().verification().spellings()).isOne());
              assertThat(filter(context).guarded().verification().wrong()).isZero();
            });
  }

  /** A source of the application's own that can be asked. */
  record Own(List<String> keys) implements KeySource, KeyLookup {

    @Override
    public void forEach(KeySink sink) {
      keys.forEach(sink::accept);
    }

    @Override
    public void find(String key, KeySink sink) {
      keys.stream().filter(own -> own.endsWith(key.substring(1))).forEach(sink::accept);
    }
  }

  @Test
  void aBeanMayBeAsked() {
    application("source.bean=own")
        .withBean("own", KeySource.class, () -> new Own(List.of("42")))
        .run(
            context -> {
              JdbcClient.create(context.getBean(DataSource.class))
                  .sql("insert into product values (-2, 'desk')")
                  .update();
              // No conversion makes 42 of it, but the source says so.
              assertThat(context.getBean(Products.class).find("-2")).contains("desk");
              assertThat(filter(context).guarded().verification().spellings()).isOne();
              assertThat(filter(context).managed().status().state()).isEqualTo(FilterState.READY);
            });
  }
}
