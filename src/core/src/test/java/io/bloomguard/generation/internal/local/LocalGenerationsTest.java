package io.bloomguard.generation.internal.local;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.TestForm;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.GenerationStoreContractTest;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.AddFailedException;
import java.lang.Thread.State;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalGenerationsTest extends GenerationStoreContractTest {

  private static final Duration RETENTION = Duration.ofMinutes(10);
  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);

  @Override
  protected boolean followsFeed() {
    return true;
  }

  @Override
  protected GenerationStore newStore(String filterName) {
    return store(filterName, SHAPE, nanos::get);
  }

  @Override
  protected Stream<Layout> salted() {
    return Stream.of(Layout.BLOCKED, Layout.COUNTING);
  }

  @Override
  protected void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private static LocalGenerations store(FilterShape shape, LongSupplier ticker) {
    return store("local", shape, ticker);
  }

  private static LocalGenerations store(String name, FilterShape shape, LongSupplier ticker) {
    return TestGenerations.local(
        name,
        s -> MembershipFilters.create(s, HASHER, BlockGeometry.drawSalt()),
        shape,
        RETENTION,
        1,
        ticker);
  }

  @Test
  void anAddIsReplayedUpToTheRetentionAndNoLonger() {
    LocalGenerations store = store(SHAPE, nanos::get);
    store.serveEmpty(SHAPE);
    store.addAll(List.of("old"));
    // Times are kept to a 60th of the retention.
    pass(Duration.ofSeconds(10));
    store.addAll(List.of("young"));
    pass(RETENTION);

    store.beginBuild(SHAPE).publish();

    assertThat(store.checkAll(List.of("old", "young"))).containsExactly(ABSENT, POSSIBLY_PRESENT);
  }

  /** A kept answer of "none is new" would outlive the first build. */
  @Test
  void aNewClaimIsRefusedWhileNothingServes() {
    LocalGenerations store = store(SHAPE, nanos::get);
    assertThatExceptionOfType(AddFailedException.class)
        .isThrownBy(() -> store.beginAdd(List.of("a"), "batch"))
        .withMessageContaining("cannot tell which keys are new");
    store.serveEmpty(SHAPE);
    assertThat(store.check("a")).as("nothing was added").isEqualTo(ABSENT);
    assertThat(store.beginAdd(List.of("a"), "batch").isNew()).containsExactly(true);
    assertThat(store.beginAdd(List.of("a"), "batch").isNew()).containsExactly(true);
  }

  @Test
  void atTheBoundOfTheJournalAddsAreRefusedAndNoneIsLost() {
    new LocalJournalBound(
            Sizing.blocked(10_000, 1e-6, 8),
            s -> MembershipFilters.create(s, HASHER, BlockGeometry.drawSalt()),
            1)
        .requireNoneLost();
  }

  /** A store whose generation has the keys 0 to 999, and a few others that pass. */
  private LocalGenerations dense() {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 1_000, 0.001);
    LocalGenerations store = store(shape, nanos::get);
    rebuild(store, shape);
    return store;
  }

  private static void rebuild(LocalGenerations store, FilterShape shape) {
    try (GenerationStore.Build build = store.beginBuild(shape)) {
      long[] keys = LongStream.range(0, 1_000).toArray();
      build.addAll(keys, keys.length);
      build.publish();
    }
  }

  private static long falsePositive(LocalGenerations store) {
    return LongStream.range(1_000, 100_000)
        .filter(key -> store.check(key) == POSSIBLY_PRESENT)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aFalsePositiveIsAbsentFromItsSecondNullEntryOnUntilItIsAdded() {
    LocalGenerations store = dense();
    long number = falsePositive(store);
    String key = Long.toString(number);
    store.foundNothing(key);
    assertThat(store.check(key)).isEqualTo(POSSIBLY_PRESENT);
    store.foundNothing(key);
    assertThat(store.check(key)).isEqualTo(ABSENT);
    assertThat(store.check(number)).isEqualTo(ABSENT);
    assertThat(store.checkAll(List.of("7", key))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(store.explain(key).membership()).isEqualTo(ABSENT);
    assertThat(store.explain(key).reason()).contains("two loads found nothing");
    assertThat(store.check(-1)).isEqualTo(ABSENT);
    store.foundNothing("-1");
    assertThat(store.falsePositives(false)).isOne();
    assertThat(store.falsePositives(true)).isOne();

    store.addAll(List.of(key));
    assertThat(store.check(key)).isEqualTo(POSSIBLY_PRESENT);
    store.foundNothing(key);
    store.foundNothing(key);
    assertThat(store.check(key)).as("added within the retention").isEqualTo(POSSIBLY_PRESENT);
    pass(RETENTION.multipliedBy(2));
    store.foundNothing(key);
    assertThat(store.check(key)).isEqualTo(ABSENT);
  }

  @Test
  void whatIsKnownOfAGenerationEndsWithIt() {
    LocalGenerations store = dense();
    long number = falsePositive(store);
    String key = Long.toString(number);
    store.foundNothing(key);
    store.foundNothing(key);
    FilterShape shape = store.status().shape();
    try (GenerationStore.Build build = store.beginBuild(shape)) {
      build.addAll(new String[] {key}, 1);
      assertThat(store.check(key)).isEqualTo(ABSENT);
      build.publish();
    }
    assertThat(store.check(key)).isEqualTo(POSSIBLY_PRESENT);
    store.addAll(List.of(key));
    assertThat(store.rollback()).isTrue();
    assertThat(store.check(key)).as("added since").isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void theGenerationBeforeIsKeptForTheRetention() {
    LocalGenerations store = store(SHAPE, nanos::get);
    store.serveEmpty(SHAPE);
    store.beginBuild(SHAPE).publish();

    pass(RETENTION);
    store.maintain();
    assertThat(store.status().hasPrevious()).isTrue();

    pass(Duration.ofNanos(1));
    store.maintain();
    assertThat(store.status().hasPrevious()).isFalse();
    assertThat(store.rollback()).isFalse();
  }

  @Test
  void aFirstBuildIsShownAsWarming() {
    LocalGenerations store = store(SHAPE, nanos::get);
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      assertThat(store.status().state()).isEqualTo(FilterState.WARMING);
      assertThat(store.status().shape()).isEqualTo(SHAPE);
    }
  }

  /**
   * Adders that check each key right after its acknowledgement, and all at the end, while the
   * generations change a thousand times, a hundred in the short form. No build reads these keys
   * from a source: they are there only because adds reach every generation. Once with a filter that
   * lets other threads in between the steps of an add; once with the filter itself, whose builds
   * write without atomicity beside the adds.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("thorough")
  void noAcknowledgedAddIsLostInManyBuildsAndRollbacks(boolean dawdling) throws Exception {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 120_000, 1e-6);
    // More than a fill gathers of each of its ranges, so that it writes while adds do.
    long[] scanned = LongStream.range(900_000_000, 900_050_000).toArray();
    LocalGenerations store =
        TestGenerations.local(
            "local",
            s -> {
              MembershipFilter filter =
                  MembershipFilters.create(s, HASHER, BlockGeometry.drawSalt());
              return dawdling ? dawdling(filter) : filter;
            },
            shape,
            RETENTION,
            1,
            System::nanoTime);
    store.serveEmpty(shape);
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong allowed = new AtomicLong();
    ConcurrentLinkedQueue<Long> denied = new ConcurrentLinkedQueue<>();
    ExecutorService adders = Executors.newFixedThreadPool(3);
    List<Future<Long>> counts = new ArrayList<>();
    try {
      for (int adder = 0; adder < 3; adder++) {
        long first = adder * 100_000_000L;
        counts.add(adders.submit(() -> add(store, first, allowed, done, denied)));
      }
      SplittableRandom random = new SplittableRandom(42);
      int swaps = TestForm.of(100, 1_000);
      for (int swap = 0; swap < swaps; swap++) {
        // So many keys a swap that adds and swaps always meet, and replays stay short.
        allowed.addAndGet(20);
        try (GenerationStore.Build build = store.beginBuild(shape)) {
          int fate = random.nextInt(10);
          if (fate == 0) {
            store.rollback();
          }
          if (!dawdling) {
            build.addAll(scanned, scanned.length);
          }
          if (fate != 1) {
            build.publish();
            if (!dawdling && swap % 20 == 0) {
              assertThat(LongStream.of(scanned))
                  .allMatch(key -> store.check(key) == POSSIBLY_PRESENT);
            }
          }
        }
        if (random.nextInt(10) == 0) {
          store.rollback();
        }
      }
      done.set(true);
      for (int adder = 0; adder < 3; adder++) {
        long first = adder * 100_000_000L;
        long end = first + counts.get(adder).get();
        for (long key = first; key < end; key++) {
          if (store.check(key) != POSSIBLY_PRESENT) {
            denied.add(key);
          }
        }
      }
    } finally {
      done.set(true);
      adders.shutdownNow();
    }
    assertThat(denied).isEmpty();
  }

  /** One adder stands between its generations while the next one is published and asked. */
  @Test
  void aKeyIsNewToOneAdderAlthoughAGenerationIsPublishedBetweenItsSteps() throws Exception {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 100, 1e-9);
    AtomicReference<Thread> stopped = new AtomicReference<>();
    CountDownLatch resume = new CountDownLatch(1);
    LocalGenerations store =
        TestGenerations.local(
            "local",
            s ->
                stopping(
                    MembershipFilters.create(s, HASHER, BlockGeometry.drawSalt()),
                    "add",
                    "a",
                    stopped,
                    resume),
            shape,
            RETENTION,
            1,
            System::nanoTime);
    store.serveEmpty(shape);
    List<Boolean> heard = new CopyOnWriteArrayList<>();
    GenerationStore.Build build = store.beginBuild(shape);
    Thread first = new Thread(() -> heard.add(store.addEach(List.of("a"))[0]));
    stopped.set(first);
    Thread publisher = new Thread(build::publish);
    Thread second = new Thread(() -> heard.add(store.addEach(List.of("a"))[0]));
    for (Thread thread : List.of(first, publisher, second)) {
      thread.start();
      await().until(() -> thread.getState() == State.WAITING || !thread.isAlive());
    }
    resume.countDown();
    for (Thread thread : List.of(first, publisher, second)) {
      thread.join();
    }
    assertThat(heard).containsExactlyInAnyOrder(true, false);
    assertThat(store.status().generation()).isEqualTo(2);
  }

  /** An add that was journalled and has not reached the bits yet, and a build that meets it. */
  @Test
  void theOnlyAdderOfAKeyHearsThatItIsNewWhereABuildComesBetweenItsSteps() throws Exception {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 1_000, 1e-6);
    AtomicReference<Thread> stopped = new AtomicReference<>();
    CountDownLatch resume = new CountDownLatch(1);
    LocalGenerations store =
        TestGenerations.local(
            "local",
            s ->
                stopping(
                    MembershipFilters.create(s, HASHER, BlockGeometry.drawSalt()),
                    "hash",
                    "c",
                    stopped,
                    resume),
            shape,
            RETENTION,
            1,
            System::nanoTime);
    store.serveEmpty(shape);
    AtomicReference<boolean[]> heard = new AtomicReference<>();
    // The first key is in the journal when the thread stops at the second.
    Thread adder = new Thread(() -> heard.set(store.addEach(List.of("b", "c"))));
    Thread builder = new Thread(() -> store.beginBuild(shape).publish());
    stopped.set(adder);
    for (Thread thread : List.of(adder, builder)) {
      thread.start();
      await().until(() -> thread.getState() == State.WAITING || !thread.isAlive());
    }
    resume.countDown();
    adder.join();
    builder.join();
    assertThat(heard.get()).containsExactly(true, true);
    assertThat(store.status().generation()).isEqualTo(2);
  }

  /** Stops a thread after it has called a method for a key. */
  private static MembershipFilter stopping(
      MembershipFilter filter,
      String step,
      String key,
      AtomicReference<Thread> thread,
      CountDownLatch resume) {
    return (MembershipFilter)
        Proxy.newProxyInstance(
            LocalGenerationsTest.class.getClassLoader(),
            new Class<?>[] {MembershipFilter.class},
            (proxy, method, arguments) -> {
              Object answer = method.invoke(filter, arguments);
              if (method.getName().equals(step)
                  && key.equals(arguments[0])
                  && thread.compareAndSet(Thread.currentThread(), null)) {
                resume.await();
              }
              return answer;
            });
  }

  /** Lets other threads run after an add, so that swaps come between its steps. */
  @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on it; it only makes races likely.
  private static MembershipFilter dawdling(MembershipFilter filter) {
    return (MembershipFilter)
        Proxy.newProxyInstance(
            LocalGenerationsTest.class.getClassLoader(),
            new Class<?>[] {MembershipFilter.class},
            (proxy, method, arguments) -> {
              Object answer = method.invoke(filter, arguments);
              if (method.getName().equals("add")) {
                Thread.yield();
              }
              return answer;
            });
  }

  private static long add(
      GenerationStore store,
      long first,
      AtomicLong allowed,
      AtomicBoolean done,
      ConcurrentLinkedQueue<Long> denied) {
    long count = 0;
    while (!done.get()) {
      if (count == allowed.get()) {
        Thread.onSpinWait();
        continue;
      }
      long key = first + count++;
      store.addAll(List.of(Long.toString(key)));
      if (store.check(key) != POSSIBLY_PRESENT) {
        denied.add(key);
      }
    }
    return count;
  }
}
