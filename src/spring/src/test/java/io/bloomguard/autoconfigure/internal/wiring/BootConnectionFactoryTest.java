package io.bloomguard.autoconfigure.internal.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What the settings of Redis become beside a connection factory of another driver. */
class BootConnectionFactoryTest {

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
          .withBean(
              RedisConnectionFactory.class, RedisConnectionChoiceTest::connectionFactoryOfAnother)
          .withPropertyValues("spring.data.redis.client-type=jedis");

  @Test
  void urlWithTlsAndCredentials() {
    made(
        application.withPropertyValues(
            "spring.data.redis.url=rediss://shop:sesame@redis.test:6390/3"),
        factory -> {
          assertThat(factory.getStandaloneConfiguration())
              .satisfies(
                  to -> {
                    assertThat(to.getHostName()).isEqualTo("redis.test");
                    assertThat(to.getPort()).isEqualTo(6390);
                    assertThat(to.getDatabase()).isEqualTo(3);
                    assertThat(to.getUsername()).isEqualTo("shop");
                    assertThat(to.getPassword()).isEqualTo(RedisPassword.of("sesame"));
                  });
          assertThat(factory.getClientConfiguration().isUseSsl()).isTrue();
        });
  }

  @Test
  void sentinel() {
    made(
        application.withPropertyValues(
            "spring.data.redis.sentinel.master=shop",
            "spring.data.redis.sentinel.nodes=a.test:26379,b.test:26379",
            "spring.data.redis.sentinel.password=watch",
            "spring.data.redis.password=sesame",
            "spring.data.redis.ssl.enabled=true"),
        factory -> {
          RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
          assertThat(sentinel).isNotNull();
          assertThat(sentinel.getMaster()).extracting("name").isEqualTo("shop");
          assertThat(sentinel.getSentinels()).hasSize(2);
          assertThat(sentinel.getSentinelPassword()).isEqualTo(RedisPassword.of("watch"));
          assertThat(sentinel.getPassword()).isEqualTo(RedisPassword.of("sesame"));
          assertThat(factory.getClientConfiguration().isUseSsl()).isTrue();
        });
  }

  @Test
  void cluster() {
    made(
        application.withPropertyValues(
            "spring.data.redis.cluster.nodes=a.test:7000,b.test:7001",
            "spring.data.redis.username=shop",
            "spring.data.redis.client-name=shelf",
            "spring.data.redis.lettuce.cluster.refresh.period=7s"),
        factory -> {
          assertThat(factory.getClusterConfiguration())
              .satisfies(
                  cluster -> {
                    assertThat(cluster).isNotNull();
                    assertThat(cluster.getClusterNodes()).hasSize(2);
                    assertThat(cluster.getUsername()).isEqualTo("shop");
                  });
          assertThat(factory.getClientConfiguration().getClientName()).contains("shelf");
          assertThat(factory.getClientConfiguration().getClientOptions().orElseThrow())
              .extracting("topologyRefreshOptions.refreshPeriod")
              .hasToString("PT7S");
        });
  }

  @Test
  void detailsOfAServiceConnectionGoBeforeTheProperties() {
    DataRedisConnectionDetails container =
        new DataRedisConnectionDetails() {
          @Override
          public Standalone getStandalone() {
            return Standalone.of("container.test", 32_768);
          }
        };
    made(
        application
            .withBean(DataRedisConnectionDetails.class, () -> container)
            .withPropertyValues("spring.data.redis.host=redis.test"),
        factory -> {
          assertThat(factory.getHostName()).isEqualTo("container.test");
          assertThat(factory.getPort()).isEqualTo(32_768);
        });
  }

  private static void made(
      ApplicationContextRunner application, Consumer<LettuceConnectionFactory> check) {
    application.run(
        context -> {
          assertThat(context).hasNotFailed().doesNotHaveBean(LettuceConnectionFactory.class);
          try (BootConnectionFactory factory =
              new BootConnectionFactory(
                  context.getSourceApplicationContext().getBeanFactory(),
                  context.getEnvironment(),
                  "backend")) {
            check.accept(factory.get());
          }
        });
  }
}
