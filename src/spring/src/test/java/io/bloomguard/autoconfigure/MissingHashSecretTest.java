package io.bloomguard.autoconfigure;

import static io.bloomguard.redis.EmbeddedRedis.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import redis.embedded.RedisServer;

/** Starts with a filter in Redis and no hash secret. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("redis")
public class MissingHashSecretTest {

  private static final String ITEMS = "bloomguard.filters.items.";
  private static final String SECRET = "00112233445566778899aabbccddeeff";
  private static final Pattern FRESH =
      Pattern.compile("bloomguard\\.hash-secret=([0-9a-f]{32})\\b");

  private RedisServer redis;
  private int port;
  private RedisClient client;
  private RedisCommands<String, String> commands;

  @BeforeAll
  void start() throws IOException {
    port = freePort();
    redis = EmbeddedRedis.server(port).build();
    redis.start();
    client = RedisClient.create("redis://127.0.0.1:" + port);
    commands = client.connect().sync();
  }

  @AfterAll
  void stop() throws IOException {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    redis.stop();
  }

  @BeforeEach
  void empty() {
    commands.flushall();
  }

  @Test
  void theFailurePrintsAFreshOneToPaste() {
    FailureAnalysis failure = failure(port, "backend=redis");

    assertThat(failure.getDescription())
        .contains("bloomguard.hash-secret is not set", "'items' is in Redis");
    assertThat(failure.getAction()).contains("in every process", "like a password");
    String fresh = fresh(failure);
    assertThat(fresh).isNotEqualTo(fresh(failure(port, "backend=redis")));
    application(port, "backend=redis")
        .withPropertyValues("bloomguard.hash-secret=" + fresh)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(commands.exists("bloomguard:secret")).isZero();
  }

  @Test
  void itIsRequiredByACountingFilterInRedis() {
    assertThat(fresh(failure(port, "backend=redis", "layout=counting"))).isNotEmpty();
  }

  @Test
  void aFilterOnThisProcessHeapNeedsNone() {
    application(freePort(), "backend=local").run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void theSecretServesWhatIsThereAndAFreshOneDoesNot() {
    with(SECRET).run(context -> assertThat(ready(context).put("a")).isTrue());

    with(SECRET)
        .run(
            context ->
                assertThat(ready(context).checkAll(List.of("a", "b")))
                    .containsExactly(Membership.POSSIBLY_PRESENT, Membership.ABSENT));
    with(HashSecret.random().toHex())
        .run(
            context -> {
              FilterStore store =
                  context.getBean(ConfiguredFilters.class).all().get(0).managed().store();
              Awaitility.await()
                  .atMost(Duration.ofMinutes(1))
                  .until(() -> store.explain("a").reason().contains("hash secret"));
              assertThat(store.checkAll(List.of("a", "b"))).containsOnly(Membership.UNKNOWN);
            });
  }

  private ApplicationContextRunner with(String secret) {
    return application(port, "backend=redis", "source.added-only=true")
        .withPropertyValues("bloomguard.hash-secret=" + secret);
  }

  public static BloomGuard<String> ready(ApplicationContext context) {
    BloomGuard<String> guard = context.getBean(BloomGuards.class).guard("items", String.class);
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> guard.check("never") == Membership.ABSENT);
    return guard;
  }

  public static FailureAnalysis failure(int port, String... properties) {
    return Wiring.failure(application(port, properties));
  }

  public static ApplicationContextRunner application(int port, String... properties) {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + port,
            "bloomguard.redis.command-timeout=2s",
            ITEMS + "expected-insertions=1000",
            ITEMS + "verify.first=0",
            ITEMS + "verify.sample=0")
        .withPropertyValues(Stream.of(properties).map(ITEMS::concat).toArray(String[]::new));
  }

  public static String fresh(FailureAnalysis failure) {
    Matcher printed = FRESH.matcher(failure.getAction());
    assertThat(printed.find()).as(failure.getAction()).isTrue();
    return printed.group(1);
  }
}
