package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.bloomguard.guard.StartRefusedException;
import java.math.BigDecimal;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** When there is a demo catalogue, and what is in it. */
class DemoCatalogueTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withUserConfiguration(DemoCatalogue.class, DatabaseConfiguration.class);

  @Test
  void isThereWhereNothingIsConfigured() {
    runner.run(
        context -> {
          assertThat(context).hasSingleBean(ProductController.class);
          assertThat(
                  context
                      .getEnvironment()
                      .getProperty("bloomguard.filters.products.source.jdbc.query"))
              .isEqualTo("select id from products");
        });
  }

  @Test
  void keepsOutOfTheWayOfAFilter() {
    runner
        .withPropertyValues("bloomguard.filters.orders.expected-insertions=10")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(DataSource.class);
              assertThat(context).doesNotHaveBean(ProductController.class);
              assertThat(
                      context
                          .getEnvironment()
                          .containsProperty("bloomguard.filters.products.source.jdbc.query"))
                  .isFalse();
            });
  }

  @Test
  void keepsOutOfTheWayOfADataSource() {
    runner
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:theirs")
        .run(
            context -> {
              assertThat(context).hasSingleBean(DataSource.class);
              assertThat(context).doesNotHaveBean(ProductController.class);
            });
  }

  @Test
  void tellsWhatToWriteForMySql() {
    runner
        .withPropertyValues("spring.datasource.url=jdbc:MySQL://db/shop?password=swordfish")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .isInstanceOfSatisfying(
                        StartRefusedException.class,
                        failure -> {
                          assertThat(failure).message().doesNotContain("swordfish");
                          assertThat(failure.action()).contains("'jdbc:mariadb:'", "MySQL servers");
                        }));
  }

  @Test
  void isThereWhereOnlyTheDefaultBackendIsConfigured() {
    runner
        .withPropertyValues("bloomguard.backend=redis")
        .run(context -> assertThat(context).hasSingleBean(ProductController.class));
  }

  @Test
  void hasAHundredThousandProductsFromOne() {
    runner.run(
        context -> {
          JdbcClient jdbc = JdbcClient.create(context.getBean(DataSource.class));
          assertThat(
                  jdbc.sql("select count(*), min(id), max(id) from products")
                      .query((row, n) -> List.of(row.getLong(1), row.getLong(2), row.getLong(3)))
                      .single())
              .containsExactly(100_000L, 1L, 100_000L);
          assertThat(
                  jdbc.sql("select count(*) from products where price < 1 or length(name) < 10")
                      .query(Long.class)
                      .single())
              .isZero();
          ProductRepository products = context.getBean(ProductRepository.class);
          assertThat(products.findById(42))
              .hasValueSatisfying(p -> assertThat(p.id()).isEqualTo(42));
          assertThat(products.findById(100_001)).isEmpty();
        });
  }

  @Test
  void drawsIdsBeforeTheInsert() {
    runner.run(
        context -> {
          ProductRepository products = context.getBean(ProductRepository.class);
          long id = products.nextId();
          assertThat(id).isEqualTo(100_001);
          Product lamp = new Product(id, "Lamp", new BigDecimal("9.90"));
          products.save(lamp);
          assertThat(products.findById(id)).contains(lamp);
          assertThat(products.nextId()).isEqualTo(100_002);
        });
  }

  @Test
  void leavesNoDatabaseBehind() {
    String[] url = new String[1];
    runner.run(context -> url[0] = context.getBean(HikariDataSource.class).getJdbcUrl());
    assertThat(
            DataSourceBuilder.create()
                .type(SimpleDriverDataSource.class)
                .url(url[0])
                .username("sa")
                .build())
        .satisfies(
            again ->
                assertThat(
                        JdbcClient.create(again)
                            .sql(
                                "select count(*) from information_schema.tables where table_name ="
                                    + " 'PRODUCTS'")
                            .query(Long.class)
                            .single())
                    .isZero());
  }
}
