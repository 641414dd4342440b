package io.bloomguard.redis.internal.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether an operator is told that Redis may give the filter up. */
class EvictionPolicyTest extends RedisTestBase {

  @AfterEach
  void noLimit() {
    redis.commands().configSet("maxmemory", "0");
    redis.commands().configSet("maxmemory-policy", "noeviction");
  }

  @Test
  void aPolicyThatMayRemoveTheFilterIsWarnedOf() {
    assertThat(warnings("0", "allkeys-lru")).isEmpty();
    assertThat(warnings("100mb", "volatile-lru")).isEmpty();
    assertThat(warnings("100mb", "allkeys-lru")).singleElement().asString().contains("eviction");
    assertThat(warnings("100mb", "allkeys-random")).hasSize(1);
  }

  private List<String> warnings(String maxmemory, String policy) {
    redis.commands().configSet("maxmemory", maxmemory);
    redis.commands().configSet("maxmemory-policy", policy);
    return store(redis.connections()).warnings();
  }
}
