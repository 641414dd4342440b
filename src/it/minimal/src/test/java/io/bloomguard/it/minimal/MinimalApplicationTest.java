package io.bloomguard.it.minimal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class MinimalApplicationTest {

  private static ConfigurableApplicationContext application;

  private final Shelf shelf = application.getBean(Shelf.class);
  private final BloomGuards guards = application.getBean(BloomGuards.class);

  @BeforeAll
  static void start() {
    application = SpringApplication.run(MinimalApplication.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void aPlainBeanIsGuarded() {
    int before = shelf.lookUps();

    assertThat(shelf.find(42)).contains("item 42");
    assertThat(shelf.find(42)).contains("item 42");

    assertThat(shelf.lookUps()).isEqualTo(before + 1);
  }

  @Test
  void absentKeysDoNotReachTheBean() {
    BloomGuard<Object> guard = guards.guard("items");
    long[] absent =
        LongStream.iterate(1_000_000, id -> id + 1)
            .filter(id -> guard.check(id) == Membership.ABSENT)
            .limit(100)
            .toArray();
    int before = shelf.lookUps();

    for (long id : absent) {
      assertThat(shelf.find(id)).isEmpty();
    }

    assertThat(shelf.lookUps()).isEqualTo(before);
  }

  @Test
  void whatIsPutIsFoundAtOnce() {
    long id =
        LongStream.iterate(2_000_000, next -> next + 1)
            .filter(next -> guards.guard("items").check(next) == Membership.ABSENT)
            .findFirst()
            .getAsLong();
    assertThat(shelf.find(id)).isEmpty();

    shelf.put(id, "a late one");

    assertThat(shelf.find(id)).contains("a late one");
  }

  @Test
  void codeCallsTheGuardsWithoutAnnotations() {
    BloomGuard<String> guard = guards.guard("items", String.class);
    AtomicInteger loads = new AtomicInteger();

    assertThat(guards.filters()).containsExactly("items");
    assertThat(guard.check(7)).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guard.get(7, () -> "seven" + loads.incrementAndGet())).isEqualTo("seven1");
    assertThat(guard.get(7, () -> "seven" + loads.incrementAndGet())).isEqualTo("seven1");
    assertThat(loads).hasValue(1);
  }

  /** Or the tests above would not show what they are here for. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jakarta.servlet.Filter",
        "org.springframework.web.servlet.DispatcherServlet",
        "org.springframework.jdbc.core.JdbcOperations",
        "org.springframework.transaction.PlatformTransactionManager",
        "org.springframework.data.redis.connection.RedisConnectionFactory",
        "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
        "io.micrometer.core.instrument.MeterRegistry",
        "com.google.common.hash.BloomFilter",
        "reactor.core.publisher.Mono",
        "tools.jackson.databind.json.JsonMapper"
      })
  void theClassPathLacks(String optional) {
    assertThat(getClass().getClassLoader().getResource(optional.replace('.', '/') + ".class"))
        .isNull();
  }
}
