package io.bloomguard.guard.internal.writes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OutageTest {

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
  private final Outage outage = new Outage(nanos::get);

  @Test
  void anOutageLastsUntilAMinuteHasPassedWithoutAFailure() {
    assertThat(outage.begins()).isTrue();
    for (int i = 0; i < 10; i++) {
      nanos.addAndGet(Duration.ofSeconds(59).toNanos());
      assertThat(outage.begins()).isFalse();
    }
    nanos.addAndGet(Duration.ofSeconds(61).toNanos());
    assertThat(outage.begins()).isTrue();
    assertThat(outage.begins()).isFalse();
  }
}
