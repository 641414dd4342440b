package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.StepProxy;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * What keeps a filter from deciding, or an add from being stored, is said in Redis' own words. In
 * real time: an application looks after its filters once a second, and Redis is slow or away for
 * that long.
 */
@Tag("waits")
@Tag("redis")
@ExtendWith(OutputCaptureExtension.class)
class RedisReasonsTest {

  private static final AtomicInteger PREFIXES = new AtomicInteger();
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String USER = "app";

  private static EmbeddedRedis redis;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  @BeforeEach
  void allowAll() {
    user("on", ">secret", "~*", "&*", "+@all");
  }

  private static void user(String... rights) {
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add("SETUSER").add(USER);
    List.of(rights).forEach(args::add);
    redis.commands().dispatch(CommandType.ACL, new StatusOutput<>(ByteArrayCodec.INSTANCE), args);
  }

  @ParameterizedTest
  @CsvSource({
    "spring.data.redis.password=other, WRONGPASS",
    "spring.data.redis.username=nobody, WRONGPASS",
    "spring.data.redis.port=1, Connection refused",
    "spring.data.redis.database=99, DB index is out of range",
    "spring.data.redis.host=no-such-host.invalid, no-such-host.invalid",
    "spring.data.redis.ssl.enabled=true, timed out",
  })
  void aConnectionThatFailsIsToldWithItsReasonOnce(
      String setting, String words, CapturedOutput output) {
    run(
        filter -> {
          await()
              .atMost(LONG)
              .untilAsserted(
                  () ->
                      assertThat(filter.warnings())
                          .singleElement()
                          .asString()
                          .contains("Redis is not connected", words)
                          .contains("spring.data.redis.host, port, username, password"));
          String sentence = filter.warnings().get(0);
          await().atMost(LONG).until(() -> output.getAll().contains("'items': " + sentence));
          assertThat(output.getAll().split(java.util.regex.Pattern.quote(sentence), -1)).hasSize(2);
          // An attempt to connect that the client cuts off by itself tells that in between.
          await()
              .atMost(LONG)
              .untilAsserted(
                  () ->
                      assertThatThrownBy(() -> filter.store().addAll(List.of("a")))
                          .isInstanceOf(AddFailedException.class)
                          .hasMessageContaining(words));
        },
        setting);
  }

  @Test
  void aBuildThatCannotBeStartedIsToldWithItsReason(CapturedOutput output) {
    user("-@scripting");
    run(
        filter -> {
          await().atMost(LONG).untilAsserted(() -> assertWarned(filter, "NOPERM"));
          assertThat(output).contains("NOPERM");
        });
  }

  @Test
  void anImageThatRedisDoesNotTakeIsToldWithItsReason(CapturedOutput output) {
    redis.commands().configSet("proto-max-bulk-len", "1mb");
    try {
      run(
          filter -> {
            await().atMost(LONG).untilAsserted(() -> assertWarned(filter, "proto-max-bulk-len"));
            assertThat(output).contains("proto-max-bulk-len");
          },
          "bloomguard.filters.items.expected-insertions=2000000");
    } finally {
      redis.commands().configSet("proto-max-bulk-len", "512mb");
    }
  }

  @Test
  void rightsThatAreTakenAwayAreToldWhileTheyAreMissing() {
    run(
        filter -> {
          ready(filter);
          filter.store().addAll(List.of("a"));
          user("-bitfield_ro");
          await().atMost(LONG).untilAsserted(() -> assertWarned(filter, "bitfield_ro"));
          assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
          allowAll();
          await().atMost(LONG).untilAsserted(() -> assertThat(filter.warnings()).isEmpty());
          ready(filter);

          user("-@write");
          await().atMost(LONG).untilAsserted(() -> assertThat(filter.warnings()).isNotEmpty());
          assertThatThrownBy(() -> filter.store().addAll(List.of("b")))
              .isInstanceOf(AddFailedException.class);
          assertThat(filter.warnings()).anyMatch(warning -> warning.contains("take an add"));
          allowAll();
          filter.store().addAll(List.of("b"));
          await().atMost(LONG).untilAsserted(() -> assertThat(filter.warnings()).isEmpty());

          user("resetkeys");
          await().atMost(LONG).untilAsserted(() -> assertWarned(filter, "NOPERM"));
          assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
        },
        "bloomguard.filters.items.replica.enabled=false");
  }

  @Tag("thorough")
  @Tag("long")
  @Test
  void aRoundTripLongerThanTheTimeOfACheckIsTold(CapturedOutput output) throws Exception {
    try (StepProxy far = new StepProxy(redis.port())) {
      run(
          filter -> {
            await()
                .atMost(LONG)
                .untilAsserted(() -> assertWarned(filter, "command-timeout (20 ms)"));
            await().atMost(LONG).until(() -> filter.status().state() == FilterState.DOUBTFUL);
            assertThat(filter.store().check("known")).isEqualTo(Membership.UNKNOWN);
            await().atMost(LONG).until(() -> output.getAll().contains("command-timeout (20 ms)"));
          },
          "spring.data.redis.port=" + far.port(),
          "bloomguard.redis.command-timeout=20ms",
          "bloomguard.filters.items.replica.enabled=false");
    }
  }

  private static void assertWarned(ManagedFilter filter, String words) {
    assertThat(filter.warnings()).anyMatch(warning -> warning.contains(words));
  }

  private static void ready(ManagedFilter filter) {
    await().atMost(LONG).until(() -> filter.status().state() == FilterState.READY);
  }

  private static void run(Consumer<ManagedFilter> test, String... settings) {
    Wiring.application()
        .withConfiguration(
            AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "spring.data.redis.username=" + USER,
            "spring.data.redis.password=secret",
            "bloomguard.backend=redis",
            "bloomguard.redis.command-timeout=5s",
            "bloomguard.redis.key-prefix=p" + PREFIXES.incrementAndGet(),
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "bloomguard.filters.items.expected-insertions=1000",
            "bloomguard.filters.items.source.bean=keys")
        .withPropertyValues(settings)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(context.getBean(ConfiguredFilters.class).all().get(0).managed());
            });
  }
}
