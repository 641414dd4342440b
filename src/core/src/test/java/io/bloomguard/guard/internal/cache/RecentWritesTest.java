package io.bloomguard.guard.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentWritesTest {

  private static final long NEVER = -1_000;

  @Test
  void theTimeOfAWriteNeverGoesBack() {
    RecentWrites writes = new RecentWrites(NEVER);
    assertThat(writes.last("a")).isEqualTo(NEVER);
    writes.note("a", 20);
    writes.note("a", 10);
    assertThat(writes.last("a")).isEqualTo(20);
    writes.note("a", 30);
    assertThat(writes.last("a")).isEqualTo(30);
  }

  @Test
  void ticksMayWrapAround() {
    RecentWrites writes = new RecentWrites(Long.MAX_VALUE - 10);
    writes.note("a", Long.MIN_VALUE + 5);
    writes.note("a", Long.MAX_VALUE);
    assertThat(writes.last("a")).isEqualTo(Long.MIN_VALUE + 5);
  }
}
