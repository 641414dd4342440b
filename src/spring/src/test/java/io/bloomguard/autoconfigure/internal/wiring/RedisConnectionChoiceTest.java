package io.bloomguard.autoconfigure.internal.wiring;

import static io.bloomguard.redis.EmbeddedRedis.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;

/** To which Redis the connections go in applications that have another driver, or several. */
@Tag("redis")
public class RedisConnectionChoiceTest {

  private static final String PASSWORD = "open-sesame";
  private static final String USER = "clerk";
  private static final String PASSWORD_OF_USER = "open-barley";
  private static final int PORT = freePort();

  private static RedisServer redis;
  private static RedisServer replica;
  private static RedisServer elsewhere;

  @BeforeAll
  static void start() throws IOException {
    redis =
        EmbeddedRedis.server(PORT)
            .setting("requirepass " + PASSWORD)
            .setting("user " + USER + " on >" + PASSWORD_OF_USER + " ~* &* +@all")
            .build();
    redis.start();
    replica =
        EmbeddedRedis.server(freePort())
            .setting("replicaof 127.0.0.1 " + PORT)
            .setting("masterauth " + PASSWORD)
            .setting("requirepass " + PASSWORD)
            .build();
    replica.start();
    elsewhere = EmbeddedRedis.server(freePort()).setting("requirepass " + PASSWORD).build();
    elsewhere.start();
  }

  @AfterAll
  static void stop() throws IOException {
    elsewhere.stop();
    replica.stop();
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
  @ExtendWith(OutputCaptureExtension.class)
  void warnsOfTheTimeoutThatHealthWaitsForWhileRedisIsAway(CapturedOutput log) {
    ApplicationContextRunner shop =
        application()
            .withPropertyValues(
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + PORT,
                "spring.data.redis.password=" + PASSWORD);

    shop.withPropertyValues("spring.data.redis.timeout=9s")
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(log).doesNotContain("spring.data.redis.timeout");

    shop.run(context -> assertThat(context).hasNotFailed());
    assertThat(log).contains("wait up to 60 s", "Set spring.data.redis.timeout");
  }

  @Test
  void endsWithTheApplicationBesideAnotherDriver() {
    long before = threads();
    goesWhereBootsPropertiesSayBesideAnotherDriver();
    // A thread that has shut down takes a moment to end.
    Awaitility.await().untilAsserted(() -> assertThat(threads()).isLessThanOrEqualTo(before));
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

  @Test
  void goesToTheMasterOfAStaticList() {
    RedisStaticMasterReplicaConfiguration nodes =
        new RedisStaticMasterReplicaConfiguration("127.0.0.1", freePort());
    nodes.addNode("127.0.0.1", replica.ports().get(0));
    nodes.addNode("127.0.0.1", PORT);
    nodes.setPassword(RedisPassword.of(PASSWORD));
    application()
        .withBean(
            LettuceConnectionFactory.class,
            () ->
                new LettuceConnectionFactory(
                    nodes,
                    LettuceClientConfiguration.builder()
                        .readFrom(ReadFrom.REPLICA_PREFERRED)
                        .clientName("list")
                        .build()))
        .run(
            context -> {
              guards(context.getBean(BloomGuards.class));
              assertThat(clients()).contains("name=list");
            });
  }

  /** Spring Data keeps the user of a list apart from its servers. */
  @Test
  void goesToAStaticListAsItsUser() {
    RedisStaticMasterReplicaConfiguration nodes =
        new RedisStaticMasterReplicaConfiguration("127.0.0.1", PORT);
    nodes.setUsername(USER);
    nodes.setPassword(PASSWORD_OF_USER);
    application()
        .withBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(nodes))
        .run(
            context -> {
              guards(context.getBean(BloomGuards.class));
              assertThat(clients()).contains("user=" + USER);
            });
  }

  @Test
  void goesToTheMasterOfBootsList() {
    application()
        .withPropertyValues(
            "spring.data.redis.masterreplica.nodes=127.0.0.1:%d,127.0.0.1:%d"
                .formatted(replica.ports().get(0), PORT),
            "spring.data.redis.password=" + PASSWORD)
        .run(context -> guards(context.getBean(BloomGuards.class)));
  }

  /** The constructor for any configuration, whose servers no getter tells. */
  @Test
  void goesWhereAnyConfigurationLeads() {
    application()
        .withBean(
            LettuceConnectionFactory.class,
            () ->
                new LettuceConnectionFactory(
                    LettuceConnectionFactory.createRedisConfiguration(
                        "redis://:%s@127.0.0.1:%d".formatted(PASSWORD, PORT))))
        .run(context -> guards(context.getBean(BloomGuards.class)));
  }

  /** As of a refreshable bean: the proxy's own fields are empty. */
  @Test
  void goesWhereTheFactoryBehindAProxyLeads() {
    for (boolean byClass : new boolean[] {true, false}) {
      ProxyFactory proxy = new ProxyFactory(to(PORT));
      proxy.setProxyTargetClass(byClass);
      application()
          .withBean(
              "proxied",
              RedisConnectionFactory.class,
              () -> (RedisConnectionFactory) proxy.getProxy())
          .run(context -> guards(context.getBean(BloomGuards.class)));
    }
  }

  @Test
  void anotherRedisThanThatOfAnotherDriverIsRefused() {
    ApplicationContextRunner properties =
        application()
            .withPropertyValues(
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + PORT,
                "spring.data.redis.password=" + PASSWORD);
    FailureAnalysis failure =
        Wiring.failure(
            properties.withBean(
                RedisConnectionFactory.class, () -> ofAnother(to(elsewhere.ports().get(0)))));
    assertThat(failure.getDescription())
        .contains("127.0.0.1:" + PORT, "at port " + elsewhere.ports().get(0));
    properties
        .withBean(RedisConnectionFactory.class, () -> ofAnother(to(replica.ports().get(0))))
        .run(context -> guards(context.getBean(BloomGuards.class)));
  }

  /** A factory that hides its driver. */
  private static RedisConnectionFactory ofAnother(LettuceConnectionFactory factory) {
    factory.afterPropertiesSet();
    factory.start();
    return (RedisConnectionFactory)
        Proxy.newProxyInstance(
            RedisConnectionFactory.class.getClassLoader(),
            new Class<?>[] {RedisConnectionFactory.class, DisposableBean.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> 0;
                  case "equals" -> proxy == arguments[0];
                  default -> method.invoke(factory, arguments);
                });
  }

  private static final class Elsewhere implements RedisConfiguration {}

  @Test
  void aFactoryThatDoesNotTellItsServersIsRefused() {
    FailureAnalysis failure =
        Wiring.failure(
            application()
                .withBean(
                    LettuceConnectionFactory.class,
                    () -> new LettuceConnectionFactory(new Elsewhere())));
    assertThat(failure.getDescription()).contains(Elsewhere.class.getName(), "does not tell");
    assertThat(failure.getAction()).contains("bloomguard.redis.connection-factory");
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
