package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import java.time.Duration;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The beans of connection details, which Spring Boot makes of a compose file and of Testcontainers:
 * filters, values and sources go to what they name, and not to the properties.
 */
@Tag("redis")
class ServiceConnectionTest {

  @Test
  void filterAndSourceGoWhereTheDetailsSay() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      Wiring.application()
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class))
          .withBean(DataRedisConnectionDetails.class, () -> redisAt(redis.port()))
          .withBean(JdbcConnectionDetails.class, Database::new)
          .withInitializer(
              context ->
                  context.addBeanFactoryPostProcessor(
                      beans -> new JdbcTemplate(new Database().source()).execute(Database.ROWS)))
          .withPropertyValues(
              "spring.data.redis.host=nowhere.invalid",
              "spring.datasource.url=jdbc:postgresql://nowhere.invalid/shop",
              "spring.datasource.username=wrong",
              "bloomguard.backend=redis",
              "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
              "bloomguard.redis.command-timeout=2s",
              "bloomguard.filters.products.verify.first=0",
              "bloomguard.filters.products.verify.sample=0",
              "bloomguard.filters.products.source.jdbc.query=select id from product")
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                BloomGuard<String> guard =
                    context.getBean(BloomGuards.class).guard("products", String.class);
                Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> guard.check(9) == Membership.ABSENT);
                assertThat(guard.check(7)).isEqualTo(Membership.POSSIBLY_PRESENT);
                assertThat(guard.<RuntimeException>get(7, () -> "seven")).isEqualTo("seven");
              });
      // Filter and value are in the Redis of the details.
      assertThat(RedisKeys.like(redis.commands(), "bloomguard:{products:0}:head")).hasSize(1);
      assertThat(redis.commands().dbsize()).isGreaterThan(2);
    }
  }

  private static DataRedisConnectionDetails redisAt(int port) {
    return new DataRedisConnectionDetails() {
      @Override
      public Standalone getStandalone() {
        return Standalone.of("127.0.0.1", port);
      }
    };
  }

  /** H2 in memory with product 7. */
  private static final class Database implements JdbcConnectionDetails {

    static final String ROWS =
        "create table product (id bigint primary key); insert into product values (7)";

    @Override
    public String getJdbcUrl() {
      return "jdbc:h2:mem:service-connection;DB_CLOSE_DELAY=-1";
    }

    @Override
    public String getUsername() {
      return "sa";
    }

    @Override
    public String getPassword() {
      return "";
    }

    DataSource source() {
      return new DriverManagerDataSource(getJdbcUrl(), getUsername(), getPassword());
    }
  }
}
