package io.bloomguard.redis.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When callers are turned away, and when one of them is let through. */
class BreakerTest {

  private final AtomicLong clock = new AtomicLong();
  private final Breaker breaker = new Breaker(clock::get);

  @Test
  void opensOnlyAfterSilenceThatNoAnswerInterrupts() {
    unanswered(4);
    breaker.answered();
    unanswered(4);
    assertThat(breaker.allows()).isTrue();
    unanswered(1);
    assertThat(breaker.allows()).isFalse();
    assertThat(breaker.isOpen()).isTrue();
  }

  @Test
  void letsOneCallerThroughNowAndThen() {
    unanswered(5);
    pass(Duration.ofMillis(49));
    assertThat(breaker.allows()).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.allows()).isFalse();
    pass(Duration.ofMillis(500));
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.allows()).isFalse();
  }

  @Test
  void theFirstAnswerClosesIt() {
    unanswered(9);
    pass(Duration.ofSeconds(1));
    assertThat(breaker.allows()).isTrue();
    breaker.answered();
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.silence()).isZero();
  }

  @Test
  void looksLessAndLessOftenButNeverLessThanTwiceASecond() {
    unanswered(5);
    for (int i = 0; i < 20; i++) {
      pass(Duration.ofMillis(500));
      assertThat(breaker.allows()).isTrue();
      breaker.unanswered();
      assertThat(breaker.allows()).isFalse();
    }
  }

  @Test
  void ofManyCallersAtOnceOneIsTheProbe() throws Exception {
    unanswered(5);
    pass(Duration.ofSeconds(1));
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Boolean>> callers = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        callers.add(breaker::allows);
      }
      int allowed = 0;
      for (Future<Boolean> caller : threads.invokeAll(callers)) {
        allowed += caller.get() ? 1 : 0;
      }
      assertThat(allowed).isEqualTo(1);
    } finally {
      threads.shutdownNow();
    }
  }

  private void unanswered(int times) {
    for (int i = 0; i < times; i++) {
      breaker.unanswered();
    }
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }
}
