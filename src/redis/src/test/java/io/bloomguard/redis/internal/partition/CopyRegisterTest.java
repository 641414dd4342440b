package io.bloomguard.redis.internal.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is left on the register of copies in a filter without writes. */
class CopyRegisterTest extends RedisTestBase {

  @Test
  void aCopyThatNeitherPollsNorHasAWriterWaitIsSwept() {
    SchemeStore store = store(first);
    build(store, SHAPE, List.of("a"));
    CopyRegister register = store.partitions()[0].copies();
    register("copy:killed", "1-1|0-0|1000|7");
    register("copy:polls", "1-1|0-0|1000|1");

    register.sweep(Duration.ZERO);
    register("copy:polls", "1-1|0-0|1000|2");
    register.sweep(Duration.ofDays(1));
    assertThat(registered()).containsExactlyInAnyOrder("copy:killed", "copy:polls");

    register.sweep(Duration.ZERO);
    assertThat(registered()).containsExactly("copy:polls");
    assertThat(store.copyWaits().ranOut()).isZero();
  }

  private void register(String name, String entry) {
    if (redis.commands().hset(key("head"), name.getBytes(UTF_8), entry.getBytes(UTF_8))) {
      redis.commands().hincrby(key("head"), "copies".getBytes(UTF_8), 1);
    }
  }

  private List<String> registered() {
    return redis.commands().hkeys(key("head")).stream()
        .map(name -> new String(name, UTF_8))
        .filter(name -> name.startsWith("copy:"))
        .toList();
  }
}
