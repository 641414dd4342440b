package io.bloomguard.changes.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.redis.EmbeddedRedis;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What applications rely on of a feed, wherever it reads. */
@Tag("redis")
abstract class FeedWiringContractTest {

  static final String FILTER = "bloomguard.filters.products.";

  private static EmbeddedRedis redis;

  @BeforeAll
  static void startRedis() {
    redis = new EmbeddedRedis();
  }

  @AfterAll
  static void stopRedis() throws Exception {
    redis.close();
  }

  /** An application with a filter on the heap. */
  abstract ApplicationContextRunner application();

  abstract void insert(long id) throws Exception;

  abstract void update(long id) throws Exception;

  abstract void changeKey(long from, long to) throws Exception;

  /** An application with a filter, and the settings of its source. */
  static ApplicationContextRunner with(String... source) {
    return Wiring.application()
        .withPropertyValues(FILTER + "expected-insertions=1000", FILTER + "warm-up.min-keys=0")
        .withPropertyValues(
            Stream.of(source).map(each -> FILTER + "source." + each).toArray(String[]::new));
  }

  /** An application with a filter in Redis. */
  final ApplicationContextRunner shared() {
    return application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "bloomguard.backend=redis",
            "bloomguard.hash-secret=00112233445566778899aabbccddeeff",
            "spring.data.redis.port=" + redis.port());
  }

  static BloomGuard<Object> guard(ApplicationContext context) {
    return context.getBean(BloomGuards.class).guard("products");
  }

  static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60));
  }

  static void untilKnown(ApplicationContext context, long id) {
    soon().until(() -> guard(context).check(id) == POSSIBLY_PRESENT);
  }

  static void untilAbsent(ApplicationContext context, long id) {
    soon().until(() -> guard(context).check(id) == ABSENT);
  }

  @Test
  void rowsOfOtherProgramsAreKnownAndTheirValuesDropped() {
    application()
        .run(
            context -> {
              untilAbsent(context, 1);
              insert(1);
              untilKnown(context, 1);
              assertThat(guard(context).get(1L, () -> "old")).isEqualTo("old");
              update(1);
              soon().until(() -> "new".equals(guard(context).get(1L, () -> "new")));
              changeKey(1, 2);
              untilKnown(context, 2);
              soon().until(() -> guard(context).get(1L, () -> null) == null);
            });
  }

  @Test
  void rowsOfAFilterInRedisAreReadByOneProcessAndKnownToAll() throws Exception {
    ApplicationContextRunner application = shared();
    application.run(
        other -> {
          untilAbsent(other, 1);
          application.run(
              first -> {
                untilAbsent(first, 1);
                insert(1);
                untilKnown(first, 1);
                untilKnown(other, 1);
              });
          // Whichever of them read, one does now.
          insert(2);
          untilKnown(other, 2);
          untilAbsent(other, 3);
        });
    // No process runs; the position is kept with the filter.
    insert(3);
    application.run(
        next -> {
          untilKnown(next, 3);
          assertThat(guard(next).check(2L)).isEqualTo(POSSIBLY_PRESENT);
          untilAbsent(next, 4);
        });
  }
}
