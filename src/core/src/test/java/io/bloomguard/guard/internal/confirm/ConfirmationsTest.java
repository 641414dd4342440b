package io.bloomguard.guard.internal.confirm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.load.Bulkhead;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.load.Place;
import io.bloomguard.guard.internal.load.ScarceThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Questions to an exact source: their places, their time and their end. */
class ConfirmationsTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  private final LoadThreads threads = new LoadThreads(2, 100);
  private final Bulkhead bulkhead = new Bulkhead(2, 100, threads);
  private final CountDownLatch open = new CountDownLatch(1);
  private final List<List<String>> asked = new CopyOnWriteArrayList<>();
  private final List<GuardListener.LoadResult> loads = new CopyOnWriteArrayList<>();

  private final GuardListener listener =
      new GuardListener() {
        @Override
        public LoadListener onLoad() {
          return new LoadListener() {
            @Override
            public void onEnd(LoadResult result, long nanos) {
              loads.add(result);
            }
          };
        }
      };

  @AfterEach
  void close() {
    open.countDown();
    threads.close();
  }

  private Confirmations confirmations(Duration timeout, boolean hangs) {
    return confirmations(timeout, hangs, bulkhead, threads);
  }

  private Confirmations confirmations(
      Duration timeout, boolean hangs, Bulkhead bulkhead, LoadThreads threads) {
    ExactSource source =
        new ExactSource() {
          @Override
          public void ask(List<String> keys, Answers answers) throws Exception {
            asked.add(keys);
            if (hangs) {
              open.await();
            }
            for (String key : keys) {
              if (!answers.accept(key, key.startsWith("listed"))) {
                return;
              }
            }
          }

          @Override
          public Duration timeout() {
            return timeout;
          }
        };
    return new Confirmations("revoked", source, bulkhead, threads, listener);
  }

  private static Membership answer(CompletableFuture<Membership> answer) throws Exception {
    return answer.get(30, TimeUnit.SECONDS);
  }

  private static CompletableFuture<Membership> ask(Confirmations confirmations, String key) {
    return confirmations.askAll(List.of(key)).get(key);
  }

  @Test
  void aKeyIsListedOrNot() throws Exception {
    Confirmations confirmations = confirmations(LONG, false);

    assertThat(answer(ask(confirmations, "listed"))).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(answer(ask(confirmations, "other"))).isEqualTo(Membership.ABSENT);

    await().untilAsserted(() -> assertThat(confirmations.open()).isZero());
    await()
        .untilAsserted(
            () ->
                assertThat(loads)
                    .containsExactlyInAnyOrder(
                        GuardListener.LoadResult.FOUND, GuardListener.LoadResult.ABSENT));
  }

  @Test
  void manyKeysAreAskedForInOnePlaceEachOnce() throws Exception {
    Confirmations confirmations = confirmations(LONG, true);

    CompletableFuture<Membership> one = ask(confirmations, "listed-1");
    Map<String, CompletableFuture<Membership>> many =
        confirmations.askAll(List.of("listed-1", "listed-2", "other", "listed-2"));
    await().untilAsserted(() -> assertThat(asked).hasSize(2));
    open.countDown();

    assertThat(asked).containsExactlyInAnyOrder(List.of("listed-1"), List.of("listed-2", "other"));
    assertThat(answer(one)).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(answer(many.get("listed-1"))).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(answer(many.get("listed-2"))).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(answer(many.get("other"))).isEqualTo(Membership.ABSENT);
  }

  @Test
  void aQuestionForWhichNoThreadCanBeStartedIsUnknownAtOnce() throws Exception {
    ScarceThreads scarce = new ScarceThreads();
    try (LoadThreads few = scarce.threads(1, 100)) {
      Bulkhead one = new Bulkhead(1, 100, few);
      Confirmations confirmations = confirmations(LONG, false, one, few);
      scarce.refuse(true);
      assertThat(ask(confirmations, "listed")).isCompletedWithValue(Membership.UNKNOWN);
      scarce.refuse(false);
      few.after(LONG.toNanos(), () -> {}).cancel(false);
      scarce.refuse(true);
      assertThat(ask(confirmations, "listed")).isCompletedWithValue(Membership.UNKNOWN);
      assertThat(confirmations.open()).isZero();
      scarce.refuse(false);
      assertThat(answer(ask(confirmations, "listed"))).isEqualTo(Membership.POSSIBLY_PRESENT);
      await().ignoreExceptions().untilAsserted(() -> one.enter(0).close());
    }
  }

  @Test
  void aHungQuestionKeepsItsPlaceUntilItEnds() throws Exception {
    Confirmations confirmations = confirmations(Duration.ofMillis(20), true);

    // One whose time is over before its turn is not asked for.
    await()
        .untilAsserted(
            () -> {
              assertThat(answer(ask(confirmations, "listed"))).isEqualTo(Membership.UNKNOWN);
              assertThat(asked).hasSize(1);
            });
    assertThat(answer(ask(confirmations, "listed"))).as("at once").isEqualTo(Membership.UNKNOWN);
    assertThat(asked).hasSize(1);
    assertThat(confirmations.open()).isEqualTo(1);
    try (Place last = bulkhead.enter(0)) {
      assertThat(bulkhead.tryEnterTrial()).as("a free place").isNull();
    }

    open.countDown();
    await().untilAsserted(() -> assertThat(confirmations.open()).isZero());
    await()
        .untilAsserted(
            () -> {
              try (Place first = bulkhead.enter(0);
                  Place second = bulkhead.enter(0)) {
                assertThat(first).isNotSameAs(second);
              }
            });
  }

  @Test
  void aKeyThatGetsNoPlaceInTimeIsUnknown() throws Exception {
    Confirmations confirmations = confirmations(Duration.ofMillis(20), false);
    try (Place first = bulkhead.enter(0);
        Place second = bulkhead.enter(0)) {
      assertThat(answer(ask(confirmations, "listed"))).isEqualTo(Membership.UNKNOWN);
    }
    await().untilAsserted(() -> assertThat(confirmations.open()).isZero());
    assertThat(asked).isEmpty();
  }

  @Test
  void noMoreQuestionsWaitThanMay() throws Exception {
    Bulkhead narrow = new Bulkhead(1, 1, threads);
    Confirmations confirmations =
        new Confirmations("revoked", exactSource(), narrow, threads, listener);
    try (Place only = narrow.enter(0)) {
      CompletableFuture<Membership> waits = ask(confirmations, "a");
      assertThat(answer(ask(confirmations, "b"))).as("refused").isEqualTo(Membership.UNKNOWN);
      assertThat(waits).isNotDone();
      assertThat(confirmations.open()).isEqualTo(1);
    }
  }

  private static ExactSource exactSource() {
    return new ExactSource() {
      @Override
      public void ask(List<String> keys, Answers answers) {
        keys.forEach(key -> answers.accept(key, true));
      }

      @Override
      public Duration timeout() {
        return LONG;
      }
    };
  }

  @Test
  void aCallerThatCancelsEndsNoOthersWait() throws Exception {
    Confirmations confirmations = confirmations(LONG, true);

    CompletableFuture<Membership> one = ask(confirmations, "listed");
    CompletableFuture<Membership> other = ask(confirmations, "listed");
    assertThat(one.cancel(true)).isTrue();
    open.countDown();

    assertThat(answer(other)).isEqualTo(Membership.POSSIBLY_PRESENT);
  }
}
