package io.bloomguard.guard.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.OwnedTypes;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.cache.Sharing;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The keys that the transaction of a call has written. */
class WrittenKeysTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final LoadThreads threads = new LoadThreads(1, 1);
  private final CacheLoads steps =
      new CacheLoads(
          () -> {
            throw new IllegalStateException("no load takes place");
          },
          new SharedBounds(
              threads,
              new LoadSettings(1, SECOND, SECOND, SECOND, 1, SECOND),
              new OneTransaction()),
          new Sharing("things", new OwnedValues(() -> OwnedTypes.NONE), null));

  @AfterEach
  void stop() {
    threads.close();
  }

  /** As that of a transaction of its own within another. */
  @Test
  void anInnerWriteEndsItselfAlone() {
    steps.beginWrites(List.of("7"), Thread.currentThread(), "outer");
    steps.beginWrites(List.of("7"), Thread.currentThread(), "inner");
    steps.endWrites(List.of("7"), Thread.currentThread(), "inner");
    assertThat(steps.isWrittenHere("7")).isTrue();
    steps.endWrites(List.of("7"), Thread.currentThread(), "inner");
    assertThat(steps.isWrittenHere("7")).as("ended twice").isTrue();
    steps.endWrites(List.of("7"), Thread.currentThread(), "outer");
    assertThat(steps.isWrittenHere("7")).isFalse();
  }

  private static final class OneTransaction implements Transactions {

    @Override
    public boolean register(Runnable beforeCommit, Completion afterCompletion) {
      return true;
    }

    @Override
    public @Nullable Long readsSince() {
      return System.nanoTime();
    }

    @Override
    public Boundary boundary(String manager) {
      throw new IllegalArgumentException("none is begun");
    }
  }
}
