package io.bloomguard.redis.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("redis")
class KeyScanTest {

  @Test
  void findsWhatMatchesAndGivesUpInTime() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      RedisLink link = redis.connections().builds();
      for (int i = 0; i < 3_000; i++) {
        set(redis, "some[thing]*" + i);
        set(redis, "something" + i);
      }
      List<byte[]> found = new ArrayList<>();
      String names = KeyScan.literal("some[thing]*") + "*";
      long soon = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      assertThat(KeyScan.each(link, names, link.timeout(), soon, found::addAll)).isTrue();
      assertThat(found.stream().map(name -> new String(name, UTF_8)).distinct())
          .hasSize(3_000)
          .allMatch(name -> name.startsWith("some["));

      long past = System.nanoTime() - 1;
      assertThat(KeyScan.each(link, names, link.timeout(), past, found::addAll)).isFalse();
    }
  }

  private static void set(EmbeddedRedis redis, String name) {
    redis.commands().set(name.getBytes(UTF_8), new byte[0]);
  }
}
