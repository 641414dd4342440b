package io.bloomguard.changes.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.changes.TestKafka;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.redis.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Applications that follow a topic. */
@Tag("redis")
class KafkaWiringTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static TestKafka kafka;
  private static EmbeddedRedis redis;

  private final int number = NAMES.incrementAndGet();
  private final String filter = "products-" + number;
  private final String topic = "shop-" + number;
  private final Set<Object> rows = ConcurrentHashMap.newKeySet();

  @BeforeAll
  static void start() {
    kafka = new TestKafka();
    redis = new EmbeddedRedis();
  }

  @AfterAll
  static void stop() throws Exception {
    kafka.close();
    redis.close();
  }

  private ApplicationContextRunner without() {
    String prefix = "bloomguard.filters." + filter + ".";
    return Wiring.application()
        .withBean("keys", KeySource.class, () -> sink -> rows.forEach(sink::accept))
        .withPropertyValues(
            prefix + "expected-insertions=1000",
            prefix + "source.bean=keys",
            prefix + "source.changes.from=kafka",
            prefix + "source.changes.topic=" + topic,
            prefix + "source.changes.key=id",
            prefix + "warm-up.min-keys=0");
  }

  private ApplicationContextRunner application() {
    kafka.topic(topic, 1);
    return without()
        .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
        .withPropertyValues("spring.kafka.bootstrap-servers=" + kafka.address());
  }

  private ApplicationContextRunner shared() {
    return application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "bloomguard.backend=redis",
            "bloomguard.hash-secret=00112233445566778899aabbccddeeff",
            "spring.data.redis.port=" + redis.port());
  }

  private BloomGuard<Object> guard(ApplicationContext context) {
    return context.getBean(BloomGuards.class).guard(filter);
  }

  @Test
  void rowsOfOtherProgramsAreKnownAndTheirValuesDropped() {
    application()
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context);
              await().until(() -> guard.check(1L) == ABSENT);
              kafka.send(topic, TestKafka.inserted(1));
              await().until(() -> guard.check(1L) == POSSIBLY_PRESENT);
              assertThat(guard.get(1L, () -> "old")).isEqualTo("old");
              kafka.send(topic, TestKafka.updated(1));
              await().until(() -> "new".equals(guard.get(1L, () -> "new")));
              kafka.send(topic, TestKafka.deleted(1));
              await().until(() -> guard.get(1L, () -> null) == null);
            });
  }

  @Test
  void aLocalFilterContinuesAtThePositionInItsSnapshot(@TempDir Path directory) throws Exception {
    String warmUp = "bloomguard.filters." + filter + ".warm-up.";
    ApplicationContextRunner application =
        application()
            .withPropertyValues(
                warmUp + "snapshot=" + directory.resolve("products"),
                warmUp + "trust-snapshot=true");
    rows.add(7L);
    application.run(context -> await().until(() -> guard(context).check(1L) == ABSENT));
    kafka.send(topic, TestKafka.inserted(1));
    application
        .withPropertyValues(warmUp + "mode=none")
        .run(
            next -> {
              await().until(() -> guard(next).check(1L) == POSSIBLY_PRESENT);
              await().until(() -> guard(next).check(2L) == ABSENT);
              assertThat(guard(next).check(7L)).isEqualTo(POSSIBLY_PRESENT);
            });
    kafka.send(topic, TestKafka.inserted(3));
    kafka.trim(topic, 2);
    application
        .withPropertyValues(warmUp + "mode=none")
        .run(
            next -> {
              await().until(() -> reasons(next).contains("without a position"));
              assertThat(guard(next).check(3L)).isEqualTo(UNKNOWN);
            });
  }

  private String reasons(ApplicationContext context) {
    return String.valueOf(
        context.getBean(ConfiguredFilters.class).all().get(0).managed().warnings());
  }

  @Test
  void rowsOfAFilterInRedisAreReadByOneProcessAndKnownToAll() {
    rows.add(7L);
    ApplicationContextRunner application = shared();
    application.run(
        other -> {
          await().atMost(Duration.ofSeconds(30)).until(() -> guard(other).check(1L) == ABSENT);
          application.run(
              first -> {
                await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> guard(first).check(1L) == ABSENT);
                kafka.send(topic, TestKafka.inserted(1));
                await().until(() -> guard(first).check(1L) == POSSIBLY_PRESENT);
                await().until(() -> guard(other).check(1L) == POSSIBLY_PRESENT);
              });
          // Whichever of them read, one does now.
          kafka.send(topic, TestKafka.inserted(2));
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> guard(other).check(2L) == POSSIBLY_PRESENT);
          await().atMost(Duration.ofSeconds(30)).until(() -> guard(other).check(3L) == ABSENT);
        });
    // All processes were gone; the position is kept with the filter.
    application.run(
        next -> {
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> guard(next).check(2L) == POSSIBLY_PRESENT);
          await().atMost(Duration.ofSeconds(30)).until(() -> guard(next).check(3L) == ABSENT);
        });
  }

  @Test
  void whatComesWhileNoProcessRunsIsReadLater() throws Exception {
    ApplicationContextRunner application = shared();
    application.run(
        context ->
            await().atMost(Duration.ofSeconds(30)).until(() -> guard(context).check(1L) == ABSENT));
    kafka.send(topic, TestKafka.inserted(1));
    application.run(
        context -> {
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> guard(context).check(1L) == POSSIBLY_PRESENT);
        });
  }

  @Test
  void anApplicationWithoutKafkaIsToldWhatToAdd() {
    assertThat(Wiring.failure(without()).getAction())
        .contains("spring-boot-starter-kafka", "spring.kafka.bootstrap-servers");
  }
}
