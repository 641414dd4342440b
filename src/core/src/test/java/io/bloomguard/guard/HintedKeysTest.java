package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * While the filter cannot decide, what it last knew goes first, and that is all that the hint does.
 */
class HintedKeysTest {

  private static final LoadSettings ONE_AT_A_TIME =
      TestSettings.loads(1, Duration.ofSeconds(5), Duration.ofHours(1));

  private final KnownKeys store = new KnownKeys();
  private final Guards guards =
      Guards.with(store, new LocalValueCache(Guards.CACHE, null), ONE_AT_A_TIME);
  private final EntryGuard<String> guard = guards.guard;

  HintedKeysTest() {
    store.doubtful = true;
    store.remembered.addAll(List.of("known", "also known"));
  }

  @Test
  void ofDoubtfulKeysOnlyTheKnownQueueForThePlaceOfALoad() throws Exception {
    List<Waiting<?>> waiting = new ArrayList<>();
    CompletableFuture<@Nullable String> later;
    try (Occupied place = new Occupied()) {
      waiting.add(new Waiting<>(() -> guard.get("known", () -> "value")));
      waiting.add(new Waiting<>(() -> guard.call("known", () -> "value")));
      waiting.add(
          new Waiting<>(
              () -> guard.getAll(List.of("also known"), keys -> Map.of("also known", "value"))));
      waiting.add(
          new Waiting<>(
              () -> {
                guard.ask(Ask.toLoadAll(List.of("known", "also known"))).close();
                return "entered";
              }));
      later =
          guard
              .getAsync("known", () -> CompletableFuture.completedFuture("value"))
              .toCompletableFuture();
      for (Waiting<?> each : waiting) {
        await().until(each::isQueuedOrEnded);
        assertThat(each.task.isDone()).isFalse();
      }
      assertThat(later).isNotDone();

      assertShed(() -> guard.get("never seen", () -> "value"));
      assertShed(() -> guard.call("never seen", () -> "value"));
      assertShed(() -> guard.getAll(List.of("never seen", "never"), keys -> Map.of()));
      assertShed(() -> guard.ask(Ask.toLoadAll(List.of("known", "never seen"))));
      assertThat(
              guard.getAsync("never seen", () -> new CompletableFuture<>()).toCompletableFuture())
          .isCompletedExceptionally();
    }
    for (Waiting<?> each : waiting) {
      assertThat(each.task.get()).isNotNull();
    }
    assertThat(later.get()).isEqualTo("value");
  }

  @Test
  void whatIsNotKnownIsNeitherRejectedNorCountedAsSuch() throws Exception {
    assertThat(guard.check("never seen")).isEqualTo(Membership.UNKNOWN);
    assertThat(guard.admit("never seen")).isTrue();
    assertThat(guard.get("never seen", () -> "value")).isEqualTo("value");
    assertThat(guard.call("never seen", () -> "value")).isEqualTo("value");
    assertThat(guard.getAll(List.of("never"), keys -> Map.of("never", "value")))
        .containsEntry("never", "value");
    assertThat(guards.count(Outcome.REJECTED)).isZero();
    assertThat(guards.count(Outcome.BYPASSED)).isEqualTo(5);
  }

  @Test
  void aHintOpensNoFilterThatIsClosedInDoubt() {
    Guards closed = Guards.closed(store);
    assertThatThrownBy(() -> closed.guard.get("known", () -> "value"))
        .isInstanceOf(RequestShedException.class);
  }

  @Test
  void aHintIsNotAskedForWhatTheFilterDecides() throws Exception {
    store.doubtful = false;
    assertThat(guard.check("known")).isEqualTo(Membership.ABSENT);
    assertThat(guard.get("known", () -> "value")).isNull();
  }

  private static void assertShed(Callable<?> call) {
    assertThatThrownBy(call::call).isInstanceOf(RequestShedException.class);
  }

  /** A caller on a thread of its own. */
  private static final class Waiting<T> {

    final FutureTask<T> task;
    private final Thread thread;

    Waiting(Callable<T> call) {
      task = new FutureTask<>(call);
      thread = new Thread(task);
      thread.setDaemon(true);
      thread.start();
    }

    boolean isQueuedOrEnded() {
      return task.isDone() || thread.getState() == Thread.State.TIMED_WAITING;
    }
  }

  /** The only place for loads, taken until it is closed. */
  private final class Occupied implements AutoCloseable {

    private final CountDownLatch resume = new CountDownLatch(1);

    Occupied() throws Exception {
      CountDownLatch loading = new CountDownLatch(1);
      new Waiting<>(
          () ->
              guard.get(
                  "slow",
                  () -> {
                    loading.countDown();
                    resume.await();
                    return "value";
                  }));
      loading.await();
    }

    @Override
    public void close() {
      resume.countDown();
    }
  }
}
