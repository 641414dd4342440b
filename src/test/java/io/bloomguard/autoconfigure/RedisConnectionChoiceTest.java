package io.bloomguard.autoconfigure;

import static io.bloomguard.redis.EmbeddedRedis.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;

/** To which Redis the connections go in applications that have another driver, or several. */
@Tag("redis")
class RedisConnectionChoiceTest {

  private static final String PASSWORD = "open-sesame";
  private static final int PORT = freePort();

  private static RedisServer redis;

  @BeforeAll
  static void start() throws IOException {
    redis = EmbeddedRedis.server(PORT).setting("requirepass " + PASSWORD).build();
    redis.start();
  }

  @AfterAll
  static void stop() throws IOException {
    redis.stop();
  }

  @Test
  void goesWhereBootsPropertiesSayBesideAnotherDriver() {
    AtomicInteger options = new AtomicInteger();
    application()
        .withBean(
            RedisConnectionFactory.class, RedisConnectionChoiceTest::connectionFactoryOfAnother)
        .withBean(
            LettuceClientConfigurationBuilderCustomizer.class,
            () -> configuration -> configuration.clientName("shop"))
        .withBean(
            LettuceClientOptionsBuilderCustomizer.class, () -> any -> options.incrementAndGet())
        .withPropertyValues(
            "spring.data.redis.client-type=jedis",
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + PORT,
            "spring.data.redis.password=" + PASSWORD)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(RedisConnectionFactory.class))
                  .isNotInstanceOf(LettuceConnectionFactory.class);
              guards(context.getBean(BloomGuards.class));
              assertThat(options).hasPositiveValue();
              assertThat(clients()).contains("name=shop");
            });
  }

  @Test
  void endsWithTheApplicationBesideAnotherDriver() {
    long before = threads();
    goesWhereBootsPropertiesSayBesideAnotherDriver();
    assertThat(threads()).isLessThanOrEqualTo(before);
  }

  @Test
  void goesToTheFactoryThatIsNamed() {
    several()
        .withPropertyValues("bloomguard.redis.connection-factory=right")
        .run(context -> guards(context.getBean(BloomGuards.class)));
  }

  @Test
  void severalFactoriesAreRefusedByName() {
    assertThat(Wiring.failure(several()))
        .satisfies(
            failure -> {
              assertThat(failure.getDescription()).contains("one Redis", "[left, right]");
              assertThat(failure.getAction())
                  .contains("bloomguard.redis.connection-factory", "@Primary");
            });
  }

  @Test
  void nameOfNoFactoryOfLettuceIsRefused() {
    ApplicationContextRunner application =
        several()
            .withBean("other", RedisConnectionFactory.class, () -> connectionFactoryOfAnother());
    for (String name : new String[] {"other", "middle"}) {
      assertThat(
              Wiring.failure(
                      application.withPropertyValues("bloomguard.redis.connection-factory=" + name))
                  .getDescription())
          .contains("'" + name + "'", "LettuceConnectionFactory", "left", "right");
    }
  }

  private static ApplicationContextRunner application() {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
        .withPropertyValues(
            "bloomguard.backend=redis",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "bloomguard.redis.command-timeout=2s",
            "bloomguard.filters.items.expected-insertions=1000",
            "bloomguard.filters.items.source.bean=keys",
            "bloomguard.filters.items.warm-up.mode=blocking");
  }

  /** The one on the left leads nowhere. */
  private static ApplicationContextRunner several() {
    return application()
        .withBean("left", LettuceConnectionFactory.class, () -> to(freePort()))
        .withBean("right", LettuceConnectionFactory.class, () -> to(PORT));
  }

  private static LettuceConnectionFactory to(int port) {
    LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
    factory.getStandaloneConfiguration().setPassword(PASSWORD);
    return factory;
  }

  private static void guards(BloomGuards guards) {
    assertThat(guards.guard("items", String.class).check("known"))
        .isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guards.guard("items", String.class).check("unknown")).isEqualTo(Membership.ABSENT);
  }

  private static String clients() {
    RedisURI uri =
        RedisURI.builder()
            .withHost("127.0.0.1")
            .withPort(PORT)
            .withPassword(PASSWORD.toCharArray())
            .build();
    RedisClient client = RedisClient.create(uri);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return connection.sync().clientList();
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("lettuce-"))
        .count();
  }

  static RedisConnectionFactory connectionFactoryOfAnother() {
    return (RedisConnectionFactory)
        Proxy.newProxyInstance(
            RedisConnectionFactory.class.getClassLoader(),
            new Class<?>[] {RedisConnectionFactory.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> 0;
                  case "equals" -> proxy == arguments[0];
                  case "toString" -> "another driver's";
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
