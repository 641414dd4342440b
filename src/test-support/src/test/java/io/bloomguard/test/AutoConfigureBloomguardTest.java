package io.bloomguard.test;

import static io.bloomguard.test.BloomguardAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.guard.BloomGuards;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;

/** A test of an application that has neither the Redis nor the database that it is set up for. */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "bloomguard.backend=redis",
      "bloomguard.web.rules[0].pattern=/items/{id}",
      "bloomguard.filters.order-items.expected-insertions=100000000",
      "bloomguard.filters.order-items.backend=redis",
      "bloomguard.filters.order-items.source.jdbc.query=select id from order_items",
      "bloomguard.filters.order-items.warm-up.mode=none",
      "bloomguard.filters.order-items.rebuild.cron=0 0 3 * * *",
      "bloomguard.filters.order-items.replica.enabled=true"
    })
@AutoConfigureBloomguard
class AutoConfigureBloomguardTest {

  @Autowired private BloomGuards guards;
  @Autowired private Items items;

  @Test
  void methodsAreGuardedByAFilterThatBeginsEmpty() {
    int loads = Items.LOADS.get();
    assertThat(guards).rejects("order-items", 1, 2);
    assertThat(items.find(1)).isEmpty();
    assertThat(Items.LOADS).hasValue(loads);
  }

  @Test
  void whatIsPutIsFound() {
    items.save(3);
    guards.guard("order-items").put(4);
    assertThat(guards).has("order-items", 3, 4).admits("order-items", 3).rejects("order-items", 5);
    int loads = Items.LOADS.get();
    assertThat(items.find(3)).contains("3");
    assertThat(Items.LOADS).hasValue(loads + 1);
  }

  @Test
  void failuresNameFilterAndPositionButNoKey() {
    guards.guard("order-items").put(67891);
    assertThatThrownBy(() -> assertThat(guards).rejects("order-items", 8, 67891))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("key 2 of 2")
        .hasMessageContaining("'order-items'")
        .hasMessageContaining("POSSIBLY_PRESENT")
        .hasMessageNotContaining("67891");
    assertThatThrownBy(() -> assertThat(guards).has("order-items", 8))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> assertThat(guards).admits("order-items", 8))
        .isInstanceOf(AssertionError.class);
  }

  /** No auto-configuration but what the annotation brings. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  static class Application {

    @Bean
    Items items() {
      return new Items();
    }
  }

  static class Items {

    /** Of the class: what a test has is a proxy. */
    private static final AtomicInteger LOADS = new AtomicInteger();

    @BloomGuarded(filter = "order-items", key = "#id")
    public Optional<String> find(long id) {
      LOADS.incrementAndGet();
      return Optional.of(Long.toString(id));
    }

    @BloomPut(filter = "order-items", key = "#id")
    public void save(long id) {}
  }
}
