package io.bloomguard.redis.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lettuce.core.RedisCommandExecutionException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RepliesTest {

  private static String message(Throwable failure) {
    return String.valueOf(
        catchThrowable(
                () -> Replies.await(CompletableFuture.failedFuture(failure), Duration.ofSeconds(1)))
            .getMessage());
  }

  @Test
  void aFailureIsToldInItsOwnWordsOrByItsType() {
    assertThat(message(new RedisCommandExecutionException("NOPERM no")))
        .isEqualTo("Redis refused a command: NOPERM no");
    assertThat(message(new ClosedChannelException()))
        .isEqualTo("Redis could not be asked: ClosedChannelException");
    assertThat(message(new IllegalStateException("Unable to connect", new IOException("reset"))))
        .isEqualTo("Redis could not be asked: Unable to connect: reset");
    assertThat(message(new IllegalStateException((String) null)))
        .isEqualTo("Redis could not be asked: IllegalStateException");
  }
}
