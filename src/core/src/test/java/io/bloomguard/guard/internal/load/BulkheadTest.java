package io.bloomguard.guard.internal.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BulkheadTest {

  private static final int PLACES = 3;
  private static final long LONG = TimeUnit.HOURS.toNanos(1);

  private final LoadThreads threads = new LoadThreads(PLACES, 100);
  private final Bulkhead bulkhead = new Bulkhead(PLACES, 5, threads);

  @AfterEach
  void stop() {
    threads.close();
  }

  private List<Place> fill() {
    List<Place> taken = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      taken.add(bulkhead.enter(0));
    }
    assertThat(bulkhead.enter(null, 0, false)).isCompletedExceptionally();
    return taken;
  }

  private void assertAllFree() {
    Awaitility.await()
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              List<Place> taken = new ArrayList<>();
              try {
                for (int i = 0; i < PLACES; i++) {
                  taken.add(bulkhead.enter(0));
                }
              } finally {
                taken.forEach(Place::close);
              }
            });
    assertThat(bulkhead.waiting()).isZero();
  }

  @Test
  void callersThatWaitGetAPlaceInTheirOrderOnAThreadOfOurs() {
    List<Place> taken = fill();
    List<Integer> order = new ArrayList<>();
    List<CompletableFuture<String>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      callers.add(
          bulkhead
              .enter(null, LONG, false)
              .thenApply(
                  place -> {
                    order.add(number);
                    place.close();
                    return Thread.currentThread().getName();
                  }));
    }
    assertThat(callers).noneMatch(CompletableFuture::isDone);
    taken.get(0).close();
    assertThat(callers)
        .allSatisfy(
            caller ->
                assertThat(caller)
                    .succeedsWithin(Duration.ofMinutes(1))
                    .asString()
                    .startsWith("bloomguard-async-"));
    assertThat(order).containsExactly(0, 1, 2, 3);
    taken.forEach(Place::close);
    assertAllFree();
  }

  @Test
  void aWaitEndsWithoutAPlace() {
    List<Place> taken = fill();
    assertThat(bulkhead.enter(null, 1_000, false))
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withCauseInstanceOf(RequestShedException.class);
    assertThatThrownBy(() -> bulkhead.enter(1_000)).isInstanceOf(RequestShedException.class);
    taken.forEach(Place::close);
    assertAllFree();
  }

  @Test
  void noMoreWaitThanMay() {
    List<Place> taken = fill();
    List<CompletableFuture<Place>> waiting = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(bulkhead.enter(null, LONG, false));
    }
    assertThat(bulkhead.enter(null, LONG, false)).isCompletedExceptionally();
    assertThatThrownBy(() -> bulkhead.enter(LONG)).isInstanceOf(RequestShedException.class);
    assertThat(waiting.get(0).cancel(false)).isTrue();
    assertThat(bulkhead.enter(null, LONG, false).cancel(false)).as("room for one").isTrue();
    waiting.forEach(caller -> caller.cancel(false));
    taken.forEach(Place::close);
    assertAllFree();
  }

  @Test
  void closingEndsAllWaits() {
    List<Place> taken = fill();
    CompletableFuture<Place> waiting = bulkhead.enter(null, LONG, false);
    threads.close();
    assertThat(waiting).failsWithin(Duration.ofMinutes(1));
    taken.forEach(Place::close);
    assertAllFree();
  }

  @Test
  void aPlaceForWhichNoThreadCanBeStartedGoesBack() {
    ScarceThreads scarce = new ScarceThreads();
    try (LoadThreads few = scarce.threads(PLACES, 100)) {
      Bulkhead scarceOnes = new Bulkhead(PLACES, 5, few);
      List<Place> taken = new ArrayList<>();
      for (int i = 0; i < PLACES; i++) {
        taken.add(scarceOnes.enter(0));
      }
      CompletableFuture<Place> first = scarceOnes.enter(null, LONG, false);
      CompletableFuture<Place> second = scarceOnes.enter(null, LONG, false);
      scarce.refuse(true);
      taken.get(0).close();
      assertThat(List.of(first, second))
          .allSatisfy(
              place ->
                  assertThat(place)
                      .failsWithin(Duration.ZERO)
                      .withThrowableThat()
                      .havingCause()
                      .isInstanceOf(RequestShedException.class)
                      .withMessageContaining("No thread"));
      assertThat(scarceOnes.waiting()).isZero();
      scarceOnes.enter(0).close();
      taken.forEach(Place::close);
    }
  }

  @Test
  void aWaitNeedsNoThreadForItsEnd() {
    ScarceThreads scarce = new ScarceThreads();
    try (LoadThreads few = scarce.threads(1, 100)) {
      Bulkhead one = new Bulkhead(1, 5, few);
      Place taken = one.enter(0);
      scarce.refuse(true);
      assertThat(one.enter(null, 1_000, false))
          .failsWithin(Duration.ofMinutes(1))
          .withThrowableThat()
          .withMessageContaining("places");
      assertThat(one.waiting()).isZero();
      taken.close();
      one.enter(0).close();
    }
  }

  @Test
  void whatIsWithinAPlaceTakesNoSecondOne() {
    List<Place> taken = fill();
    try (Scope outer = taken.get(0).enter()) {
      Place inner = bulkhead.enter(0);
      try (Scope scope = inner.enter()) {
        bulkhead.enter(0).close();
        assertThat(bulkhead.tryEnterTrial()).isNotNull().satisfies(Place::close);
      }
      CompletableFuture<Place> beside = bulkhead.enter(Place.current(), LONG, false);
      assertThat(beside).as("one at a time").isNotDone();
      inner.close();
      assertThat(beside).succeedsWithin(Duration.ofMinutes(1)).satisfies(Place::close);
    }
    assertThat(Place.current()).isNull();
    taken.forEach(Place::close);
    taken.forEach(Place::close);
    assertAllFree();
  }

  @Test
  void aPlaceIsFreeWhenItsLastBorrowerHasGone() {
    List<Place> taken = fill();
    CompletableFuture<Place> borrowed = bulkhead.enter(taken.get(0), 0, false);
    taken.get(0).close();
    assertThat(bulkhead.enter(null, 0, false)).as("still borrowed").isCompletedExceptionally();
    assertThat(bulkhead.enter(taken.get(0), 0, false)).as("closed").isCompletedExceptionally();
    borrowed.join().close();
    bulkhead.enter(0).close();
    taken.forEach(Place::close);
    assertAllFree();
  }

  @Test
  void thePlacesOfAnotherBulkheadAreNotBorrowed() {
    try (LoadThreads others = new LoadThreads(1, 1)) {
      try (Scope scope = new Bulkhead(1, 1, others).enter(0).enter()) {
        List<Place> taken = fill();
        assertThatThrownBy(() -> bulkhead.enter(0)).isInstanceOf(RequestShedException.class);
        taken.forEach(Place::close);
      }
    }
    assertAllFree();
  }

  @Test
  void noPlaceIsLostOrHeldTwiceUnderLoad() throws Exception {
    long seed = System.nanoTime();
    Bulkhead many = new Bulkhead(PLACES, 100, threads);
    AtomicInteger held = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ExecutorService callers = Executors.newFixedThreadPool(4);
    List<Future<?>> done = new ArrayList<>();
    for (int c = 0; c < 4; c++) {
      SplittableRandom random = new SplittableRandom(seed + c);
      done.add(
          callers.submit(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  once(many, random, held, most);
                }
              }));
    }
    for (Future<?> caller : done) {
      caller.get();
    }
    callers.shutdownNow();
    Awaitility.await().untilAsserted(() -> assertThat(held).hasValue(0));
    assertThat(most).as("seed %d", seed).hasValueLessThanOrEqualTo(PLACES);
    Awaitility.await()
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              List<Place> all = new ArrayList<>();
              try {
                for (int i = 0; i < PLACES; i++) {
                  all.add(many.enter(0));
                }
              } finally {
                all.forEach(Place::close);
              }
            });
    assertThat(many.waiting()).isZero();
  }

  private static void once(
      Bulkhead bulkhead, SplittableRandom random, AtomicInteger held, AtomicInteger most) {
    switch (random.nextInt(4)) {
      case 0 -> {
        try (Place place = bulkhead.enter(random.nextInt(100_000))) {
          most.accumulateAndGet(held.incrementAndGet(), Math::max);
          try (Scope scope = place.enter()) {
            bulkhead.enter(0).close();
          }
          held.decrementAndGet();
        } catch (RequestShedException e) {
          assertThat(e).hasMessageContaining("places");
        }
      }
      case 1 -> {
        CompletableFuture<Place> waiting = bulkhead.enter(null, random.nextInt(100_000), false);
        if (!waiting.cancel(false)) {
          var unused = waiting.thenAccept(Place::close);
        }
      }
      default -> {
        var unused =
            bulkhead
                .enter(null, random.nextInt(1_000_000), false)
                .thenAccept(
                    place -> {
                      most.accumulateAndGet(held.incrementAndGet(), Math::max);
                      held.decrementAndGet();
                      place.close();
                    });
      }
    }
  }
}
