package io.bloomguard.redis.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RedisLinkTest {

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch refused = new CountDownLatch(1);
  private final AtomicInteger attempts = new AtomicInteger();
  private final RedisLink link = new RedisLink(this::connect, Duration.ofMillis(20));

  private RedisSession connect() {
    attempts.incrementAndGet();
    begun.countDown();
    try {
      refused.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("Unable to connect", new IllegalStateException("refused."));
  }

  /** Otherwise it goes on in a client that was shut down, and Netty reports that with a stack. */
  @Test
  void itIsClosedOnceTheAttemptToConnectThatIsUnderWayHasEnded() throws Exception {
    assertThat(link.session()).isNull();
    begun.await();
    CompletableFuture<Void> closed = link.close();
    assertThat(closed).isNotDone();
    refused.countDown();
    await().until(closed::isDone);
    assertThat(link.session()).isNull();
    assertThat(attempts).hasValue(1);
  }

  @Test
  void anAttemptThatFailedIsToldInItsWordsUntilOneSucceeds() {
    assertThat(link.problem()).isNull();
    refused.countDown();
    await().until(() -> link.unconnected() != null || link.session() != null);
    assertThat(link.problem())
        .startsWith("Redis is not connected: Unable to connect: refused. Check spring.data.redis.");
    assertThat(link.call(commands -> null))
        .failsWithin(Duration.ofSeconds(1))
        .withThrowableThat()
        .withCauseInstanceOf(RedisUnavailableException.class)
        .withMessageContaining("refused");
  }
}
