package io.bloomguard.it.collations;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.it.support.MariaDb;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** No spelling of a key by a stranger disarms a filter, whatever the database makes of it. */
class SpelledKeysTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Shop {

    @Bean
    Products products(JdbcClient jdbc) {
      return new Products(jdbc);
    }
  }

  static class Products {

    private final JdbcClient jdbc;

    Products(JdbcClient jdbc) {
      this.jdbc = jdbc;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Optional<String> find(String id) {
      return jdbc.sql("select name from product where id = ?")
          .param(id)
          .query(String.class)
          .optional();
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "converted")
    public Optional<String> converted(String id) {
      return jdbc.sql("select name from product where id = cast(? as bigint)")
          .param(id)
          .query(String.class)
          .optional();
    }

    @BloomGuarded(filter = "names", key = "#name")
    public Optional<String> named(String name) {
      return jdbc.sql("select name from product where name = ?")
          .param(name)
          .query(String.class)
          .optional();
    }
  }

  private static ConfigurableApplicationContext shop(String url, String user, String type) {
    JdbcClient jdbc = JdbcClient.create(new DriverManagerDataSource(url, user, ""));
    jdbc.sql("create table product (id bigint primary key, name " + type + ")").update();
    jdbc.sql("insert into product values (42, 'admin')").update();
    return new SpringApplicationBuilder(Shop.class)
        .web(WebApplicationType.NONE)
        .run(
            "--spring.datasource.url=" + url,
            "--spring.datasource.username=" + user,
            "--bloomguard.filters.products.source.jdbc.query=select id from product",
            "--bloomguard.filters.products.warm-up.mode=blocking",
            "--bloomguard.filters.names.source.jdbc.query=select name from product",
            "--bloomguard.filters.names.source.jdbc.trust-collation=true",
            "--bloomguard.filters.names.keys.case=lower",
            "--bloomguard.filters.names.keys.trim=trailing",
            "--bloomguard.filters.names.warm-up.mode=blocking");
  }

  @Test
  void mariaDbFindsNumbersByTextAndLettersByOthers() throws Exception {
    try (MariaDb server = new MariaDb();
        ConfigurableApplicationContext shop =
            shop(server.url("spelled"), "root", "varchar(20) collate utf8mb4_general_ci")) {
      Products products = shop.getBean(Products.class);
      BloomGuards guards = shop.getBean(BloomGuards.class);
      for (String spelled : List.of("042", "42.0", " 42", "42abc", "+42", "4.2e1")) {
        assertThat(products.find(spelled)).as(spelled).contains("admin");
      }
      assertThat(guards.guard("products").check("999")).isEqualTo(Membership.ABSENT);
      for (String spelled : List.of("ádmin", "ADMÍN", "ａdmin", "admin\u0301")) {
        Optional<String> found = products.named(spelled);
        assertThat(found)
            .as(spelled)
            .isEqualTo(
                shop.getBean(JdbcClient.class)
                    .sql("select name from product where name = ?")
                    .param(spelled)
                    .query(String.class)
                    .optional());
      }
      assertThat(products.named("ádmin")).contains("admin");
      assertThat(products.named("root")).isEmpty();
      assertThat(guards.guard("names").check("root")).isEqualTo(Membership.ABSENT);
      assertThat(guards.guard("names").check("ádmin")).isEqualTo(Membership.UNKNOWN);
    }
  }

  @Test
  void postgresConvertsWhatItIsAskedTo() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.start();
        ConfigurableApplicationContext shop =
            shop(server.getJdbcUrl("postgres", "postgres"), "postgres", "text")) {
      Products products = shop.getBean(Products.class);
      for (String spelled : List.of("042", " 42", "+42")) {
        assertThat(products.converted(spelled)).as(spelled).contains("admin");
      }
      assertThat(shop.getBean(BloomGuards.class).guard("products").check("999"))
          .isEqualTo(Membership.ABSENT);
      shop.getBean(JdbcClient.class).sql("insert into product values (43, 'lamp')").update();
      assertThat(products.converted("043")).contains("lamp");
      assertThat(shop.getBean(BloomGuards.class).guard("products").check("999"))
          .isEqualTo(Membership.UNKNOWN);
    }
  }
}
