package io.bloomguard.changes.autoconfigure;

import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.changes.TestKafka;
import io.bloomguard.generation.KeySource;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/**
 * Applications that follow a topic. In real time: a broker gives its consumers their partitions,
 * and a feed looks whether it is at their end, at intervals.
 */
@Tag("waits")
class KafkaWiringTest extends FeedWiringContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static TestKafka kafka;

  private final String topic = "shop-" + NAMES.incrementAndGet();
  private final Set<Object> rows = ConcurrentHashMap.newKeySet();

  @BeforeAll
  static void start() {
    kafka = new TestKafka();
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @Override
  void insert(long id) throws Exception {
    kafka.send(topic, TestKafka.inserted(id));
  }

  @Override
  void update(long id) throws Exception {
    kafka.send(topic, 0, "{\"id\":" + id + "}", TestKafka.updated(id));
  }

  @Override
  void changeKey(long from, long to) throws Exception {
    kafka.send(topic, TestKafka.deleted(from));
    insert(to);
  }

  private ApplicationContextRunner without() {
    return with("bean=keys", "changes.from=kafka", "changes.topic=" + topic, "changes.key=id")
        .withBean("keys", KeySource.class, () -> sink -> rows.forEach(sink::accept));
  }

  @Override
  ApplicationContextRunner application() {
    kafka.topic(topic, 1);
    return without()
        .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
        .withPropertyValues("spring.kafka.bootstrap-servers=" + kafka.address());
  }

  @Test
  void aLocalFilterContinuesAtThePositionInItsSnapshot(@TempDir Path directory) throws Exception {
    String warmUp = FILTER + "warm-up.";
    ApplicationContextRunner application =
        application()
            .withPropertyValues(
                warmUp + "snapshot=" + directory.resolve("products"),
                warmUp + "trust-snapshot=true");
    rows.add(7L);
    application.run(context -> untilAbsent(context, 1));
    insert(1);
    application
        .withPropertyValues(warmUp + "mode=none")
        .run(
            next -> {
              untilKnown(next, 1);
              untilAbsent(next, 2);
              assertThat(guard(next).check(7L)).isEqualTo(POSSIBLY_PRESENT);
            });
    insert(3);
    kafka.trim(topic, 2);
    application
        .withPropertyValues(warmUp + "mode=none")
        .run(
            next -> {
              soon().until(() -> reasons(next).contains("without a position"));
              assertThat(guard(next).check(3L)).isEqualTo(UNKNOWN);
            });
  }

  private static String reasons(ApplicationContext context) {
    return String.valueOf(
        context.getBean(ConfiguredFilters.class).all().get(0).managed().warnings());
  }

  @Test
  void anApplicationWithoutKafkaIsToldWhatToAdd() {
    assertThat(Wiring.failure(without()).getAction())
        .contains("spring-boot-starter-kafka", "spring.kafka.bootstrap-servers");
  }
}
