package io.bloomguard.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Enforcement.Standing;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link GenerationStore} does, wherever its bits live. */
public abstract class GenerationStoreContractTest {

  /** Large and sparse, so that a key that was never added is as good as never present. */
  protected static final FilterShape SHAPE = Sizing.shape(Layout.BLOCKED, 20_000, 1e-9);

  private static final AtomicInteger NAMES = new AtomicInteger();

  private String filter = "";
  private GenerationStore store;

  /**
   * A store of a filter that exists nowhere yet, with {@link #shape} and a retention of minutes.
   */
  protected abstract GenerationStore newStore(String filterName);

  /** The shape of its generations. */
  protected FilterShape shape() {
    return SHAPE;
  }

  /** Whether it can tell the bits of a key. */
  protected boolean showsBits() {
    return true;
  }

  /**
   * The layouts in which the false positives of a generation end with it; none if it does not
   * promise that.
   */
  protected Stream<Layout> salted() {
    return Stream.empty();
  }

  /** Whether its filter may have a feed of changes. */
  protected boolean followsFeed() {
    return false;
  }

  /** The store of another who shares {@code store}; itself where nobody can. */
  protected GenerationStore another(GenerationStore store, String filterName) {
    return store;
  }

  /** Moves the store's clock on; nothing where that goes by itself. */
  protected void pass(Duration time) {}

  @BeforeEach
  void createStore() {
    filter = "contract-" + NAMES.incrementAndGet();
    store = newStore(filter);
  }

  @Test
  void nothingServingIsUnknownForEveryKey() {
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
    assertThat(store.check(42L)).isEqualTo(UNKNOWN);
    assertThat(store.checkAll(List.of("a", "b"))).containsExactly(UNKNOWN, UNKNOWN);
    assertThat(later("a")).containsExactly(UNKNOWN);
    assertThat(later("a", "b")).containsExactly(UNKNOWN, UNKNOWN);
    assertThat(store.status().state()).isEqualTo(FilterState.EMPTY);
    assertThat(store.status().generation()).isZero();
  }

  @Test
  void anEmptyGenerationDeniesWhatWasNeverAdded() {
    store.serveEmpty(shape());

    assertThat(store.check("a")).isEqualTo(ABSENT);
    assertThat(store.check(42L)).isEqualTo(ABSENT);
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
  }

  @Test
  void servingEmptyChangesNothingWhereOneServes() {
    store.serveEmpty(shape());
    store.addAll(List.of("a"));
    long generation = store.status().generation();

    store.serveEmpty(shape());

    assertThat(store.status().generation()).isEqualTo(generation);
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void numberOfKeysReadIsKeptWithItsGeneration() {
    assertThat(store.keysRead()).isZero();
    publish(100);
    publish(40);
    assertThat(read(another(store, filter))).isEqualTo(40);

    assertThat(store.rollback()).isTrue();
    assertThat(read(store)).isEqualTo(100);
    assertThat(read(another(store, filter))).isEqualTo(100);
    assertThat(store.rollback()).as("of a rollback").isFalse();
    assertThat(read(store)).isEqualTo(100);
  }

  /** Of a million absent keys, those that pass again after a rebuild are as many as by chance. */
  @Test
  void theFalsePositivesOfAGenerationEndWithIt() {
    salted()
        .map(layout -> Sizing.shape(layout, 20_000, 0.001))
        .forEach(
            shape -> {
              build(shape, 20_000);
              List<String> passed = passing(numbers(-1_000_000, 0));
              assertThat(passed).hasSizeBetween(800, 1_200);
              build(shape, 20_000);
              assertThat(passing(passed)).as("of %s", shape).hasSizeLessThan(8);
              assertThat(passing(numbers(0, 20_000))).hasSize(20_000);
            });
  }

  private void build(FilterShape shape, int keys) {
    try (GenerationStore.Build build = store.beginBuild(shape)) {
      long[] numbers = LongStream.range(0, keys).toArray();
      build.addAll(numbers, numbers.length);
      build.publish();
    }
  }

  private List<String> passing(List<String> keys) {
    List<String> passing = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += 10_000) {
      List<String> part = keys.subList(from, Math.min(keys.size(), from + 10_000));
      Membership[] answers = store.checkAll(part, Duration.ofSeconds(10));
      for (int i = 0; i < answers.length; i++) {
        assertThat(answers[i]).isNotEqualTo(UNKNOWN);
        if (answers[i] == POSSIBLY_PRESENT) {
          passing.add(part.get(i));
        }
      }
    }
    return passing;
  }

  private void publish(long keysRead) {
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      build.publish(keysRead);
    }
  }

  /** As a build sees it that has just begun. */
  private long read(GenerationStore store) {
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      return store.keysRead();
    }
  }

  @Test
  void anAddIsSeenByTheNextCheckAndCountsWhatChanged() {
    store.serveEmpty(shape());

    assertThat(store.addAll(List.of("a", "42"))).isEqualTo(2);
    assertThat(store.addAll(List.of("a", "b"))).isEqualTo(1);
    assertThat(store.addAll(List.of())).isZero();

    assertThat(store.checkAll(List.of("a", "c", "b")))
        .containsExactly(POSSIBLY_PRESENT, ABSENT, POSSIBLY_PRESENT);
    assertThat(store.check(42L)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(later("a")).containsExactly(POSSIBLY_PRESENT);
    assertThat(later("c")).containsExactly(ABSENT);
    assertThat(later("a", "c", "42")).containsExactly(POSSIBLY_PRESENT, ABSENT, POSSIBLY_PRESENT);
  }

  /** The answers to a caller whose thread must not wait. */
  private Membership[] later(String... keys) {
    return store.checkAsync(List.of(keys), ForkJoinPool.commonPool()).join();
  }

  @Test
  void anAddTellsOfEachKeyWhetherItWasNew() {
    assertThat(store.addEach(List.of()).length).isZero();
    store.serveEmpty(shape());

    store.addAll(List.of("b"));

    assertThat(store.addEach(List.of("a", "b", "42", "a")))
        .containsExactly(true, false, true, false);
  }

  @Test
  void ofAllAddersOfAKeyExactlyOneHearsThatItIsNewAcrossSwaps() throws Exception {
    List<String> rows = numbers(1_000_000, 1_000_100);
    build(rows);
    List<GenerationStore> stores = List.of(store, another(store, filter), store);
    AtomicIntegerArray heard = new AtomicIntegerArray(3_000);
    CyclicBarrier together = new CyclicBarrier(stores.size());
    ExecutorService threads = Executors.newFixedThreadPool(stores.size());
    try {
      List<Future<?>> adders = new ArrayList<>();
      for (GenerationStore asked : stores) {
        adders.add(threads.submit(() -> addTogether(asked, together, heard)));
      }
      int swaps = 0;
      while (!adders.stream().allMatch(Future::isDone)) {
        build(rows);
        swaps++;
      }
      for (Future<?> adder : adders) {
        adder.get();
      }
      assertThat(swaps).isPositive();
    } finally {
      threads.shutdownNow();
    }
    for (int key = 0; key < heard.length(); key++) {
      assertThat(heard.get(key)).as("adders that heard of key %s", key).isOne();
    }
  }

  private static @Nullable Void addTogether(
      GenerationStore asked, CyclicBarrier together, AtomicIntegerArray heard) throws Exception {
    for (int from = 0; from < heard.length(); from += 10) {
      together.await(1, TimeUnit.MINUTES);
      boolean[] isNew = asked.addEach(numbers(from, from + 10));
      for (int i = 0; i < isNew.length; i++) {
        if (isNew[i]) {
          heard.incrementAndGet(from + i);
        }
      }
    }
    return null;
  }

  @Test
  void aPublishedBuildServesAllItsKeysAsTheNextGeneration() {
    store.serveEmpty(shape());
    long before = store.status().generation();
    List<String> keys = numbers(0, 10_000);

    build(keys);

    assertThat(store.checkAll(keys)).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(ABSENT);
    FilterStatus status = store.status();
    assertThat(status.state()).isEqualTo(FilterState.READY);
    assertThat(status.generation()).isEqualTo(before + 1);
    assertThat(status.shape()).isEqualTo(shape());
    assertThat(status.estimatedElements()).isBetween(9_700L, 10_300L);
    assertThat(status.fillRatio())
        .isBetween(0.95 * shape().fillRatioAt(10_000), 1.05 * shape().fillRatioAt(10_000));
  }

  @Test
  void aFilterIsArmedAndInItsConfiguredModeAtFirst() {
    store.serveEmpty(shape());
    assertThat(store.enforcement().standing()).isEqualTo(Standing.INITIAL);
  }

  @Test
  void aDisarmedFilterIsDisarmedForAllUntilItIsArmed() {
    store.serveEmpty(shape());
    GenerationStore another = another(store, filter);
    another.maintain();

    store.enforcement().disarm();
    assertThat(store.enforcement().standing().disarmed()).as("at once").isTrue();
    store.maintain();
    another.maintain();
    assertThat(another.enforcement().standing().disarmed()).isTrue();
    assertThat(store.check("a")).as("it decides all the same").isEqualTo(ABSENT);

    another.enforcement().arm();
    assertThat(another.enforcement().standing().disarmed()).isFalse();
    store.maintain();
    assertThat(store.enforcement().standing().disarmed()).isFalse();
  }

  /** Published, and wrong before its build could arm the filter. */
  @Test
  void aGenerationThatHasRejectedWronglyIsNotArmedByItsBuild() {
    store.serveEmpty(shape());
    GenerationStore another = another(store, filter);
    store.enforcement().disarm(3);
    store.maintain();
    another.maintain();
    store.enforcement().disarm(4);
    store.maintain();

    assertThat(store.enforcement().armFor(4)).isFalse();
    assertThat(another.enforcement().armFor(4)).as("as another process was told").isFalse();
    another.maintain();
    store.maintain();
    assertThat(another.enforcement().standing().disarmed()).isTrue();
    assertThat(store.enforcement().standing().disarmed()).isTrue();

    assertThat(another.enforcement().armFor(5)).isTrue();
    store.maintain();
    assertThat(store.enforcement().standing().disarmed()).isFalse();
  }

  @Test
  void theKeysThatWereRejectedWronglyAreKnownToAll() {
    store.serveEmpty(shape());
    GenerationStore another = another(store, filter);
    another.maintain();
    store.enforcement().disarm(1, store.keyHash("a"));
    store.enforcement().disarm(1, store.keyHash("b"));
    store.maintain();
    another.maintain();
    Enforcement.Proof proof = another.enforcement().proof();
    assertThat(proof).isEqualTo(store.enforcement().proof());
    assertThat(proof.generation()).isEqualTo(1);

    another.enforcement().arm();
    assertThat(another.enforcement().proof()).as("armed by force").isEqualTo(proof);
    another.enforcement().disarm();
    another.maintain();
    assertThat(another.enforcement().proof()).isEqualTo(proof);
    another.enforcement().disarm(2, "");
    another.maintain();
    store.maintain();
    assertThat(store.enforcement().proof()).isEqualTo(new Enforcement.Proof(2, List.of()));

    another.enforcement().arm(true);
    store.maintain();
    assertThat(store.enforcement().proof()).as("repaired").isEqualTo(Enforcement.Proof.NONE);
    assertThat(store.enforcement().standing().disarmed()).isFalse();
  }

  @Test
  void aModeThatIsSetHoldsForAllAndOutlivesArming() {
    store.serveEmpty(shape());
    GenerationStore another = another(store, filter);
    store.enforcement().mode(FilterMode.OBSERVE);
    another.enforcement().disarm();
    store.maintain();
    another.maintain();
    store.maintain();
    assertThat(another.enforcement().standing()).isEqualTo(new Standing(true, FilterMode.OBSERVE));
    assertThat(store.enforcement().standing()).isEqualTo(new Standing(true, FilterMode.OBSERVE));

    store.enforcement().arm();
    another.maintain();
    assertThat(another.enforcement().standing()).isEqualTo(new Standing(false, FilterMode.OBSERVE));
    another.enforcement().mode(FilterMode.ENFORCE);
    store.maintain();
    assertThat(store.enforcement().standing()).isEqualTo(new Standing(false, FilterMode.ENFORCE));
  }

  @Test
  void neitherABuildNorARollbackArmsAFilter() {
    store.serveEmpty(shape());
    store.enforcement().disarm();
    store.maintain();
    build(List.of("a"));
    store.maintain();
    assertThat(another(store, filter))
        .satisfies(
            other -> {
              other.maintain();
              assertThat(other.enforcement().standing().disarmed()).isTrue();
            });
    assertThat(store.rollback()).isTrue();
    store.maintain();
    assertThat(store.enforcement().standing().disarmed()).isTrue();
  }

  @Test
  void theGenerationIsKnownWithoutAsking() {
    assertThat(store.generation()).isZero();
    store.serveEmpty(shape());
    store.check("a");
    assertThat(store.generation()).isEqualTo(store.status().generation());
    build(List.of("a"));
    store.check("a");
    assertThat(store.generation()).isEqualTo(store.status().generation());
  }

  @Test
  void theHashOfAKeyIsOneForAllAndNotTheKey() {
    store.serveEmpty(shape());
    assertThat(store.keyHash("a")).matches("[0-9a-f]{16}").isNotEqualTo(store.keyHash("b"));
    assertThat(another(store, filter).keyHash("a")).isEqualTo(store.keyHash("a"));
  }

  @Test
  void aBuildIsNotServedBeforeItIsPublished() {
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      build.addAll(new String[] {"a"}, 1);
      assertThat(store.check("a")).isEqualTo(UNKNOWN);
      build.publish();
    }
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void onlyTheCountedKeysOfABatchAreAdded() {
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      build.addAll(new String[] {"a", "b"}, 1);
      build.publish();
    }
    assertThat(store.checkAll(List.of("a", "b"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  @Test
  void anAddDuringABuildIsInBothGenerations() {
    store.serveEmpty(shape());
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      store.addAll(List.of("during"));
      assertThat(store.check("during")).isEqualTo(POSSIBLY_PRESENT);
      build.publish();
    }
    assertThat(store.check("during")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void anAddBeforeABuildIsInTheNextGeneration() {
    store.serveEmpty(shape());
    store.addAll(List.of("before", "\u00e9t\u00e9-\ud83d\ude00"));

    build(List.of("row"));

    assertThat(store.checkAll(List.of("before", "\u00e9t\u00e9-\ud83d\ude00", "row", "never")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
  }

  @Test
  void anAddWithNothingServingIsInTheFirstGeneration() {
    store.addAll(List.of("early"));
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      store.addAll(List.of("meanwhile"));
      build.publish();
    }

    assertThat(store.checkAll(List.of("early", "meanwhile")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT);
  }

  @Test
  void anAddWithNothingServingIsInTheEmptyGeneration() {
    store.addAll(List.of("early"));
    store.serveEmpty(shape());
    assertThat(store.check("early")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void anAbandonedBuildChangesNothing() {
    store.serveEmpty(shape());
    store.addAll(List.of("kept"));
    long generation = store.status().generation();
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      build.addAll(new String[] {"given-up"}, 1);
      store.addAll(List.of("meanwhile"));
    }

    assertThat(store.checkAll(List.of("kept", "meanwhile", "given-up")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(store.status().generation()).isEqualTo(generation);
    assertThat(store.status().hasPrevious()).isFalse();
  }

  @Test
  void anAbandonedFirstBuildLeavesNothingServing() {
    store.beginBuild(shape()).close();
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
    assertThat(store.status().state()).isEqualTo(FilterState.EMPTY);
  }

  @Test
  void aSecondBuildIsRefusedWhileOneRunsAndAllowedAfterIt() {
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      assertThatThrownBy(() -> store.beginBuild(shape()))
          .isInstanceOf(BuildRunningException.class)
          .hasMessageContaining(filter);
      build.publish();
    }
    build(List.of("a"));
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void rollbackServesTheGenerationBeforeWithEveryAddSince() {
    build(List.of("old"));
    assertThat(store.rollback()).isFalse();
    build(List.of("new"));
    store.addAll(List.of("since"));
    assertThat(store.status().hasPrevious()).isTrue();
    assertThat(store.checkAll(List.of("old", "new"))).containsExactly(ABSENT, POSSIBLY_PRESENT);

    assertThat(store.rollback()).isTrue();

    assertThat(store.checkAll(List.of("old", "since", "new")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
  }

  /** An operator who repeats a rollback does not mean the generation that it has left. */
  @Test
  void rollbackOfARollbackIsRefused() {
    build(List.of("old"));
    build(List.of("new"));
    assertThat(store.rollback()).isTrue();
    assertThat(store.status().hasPrevious()).isFalse();

    assertThat(store.rollback()).isFalse();

    assertThat(store.checkAll(List.of("old", "new"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    build(List.of("newer"));
    assertThat(store.rollback()).isTrue();
    assertThat(store.check("old")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** It would deny rows that came before the begin, and no process would know. */
  @Test
  void aGenerationThatFollowedAnEarlierBeginOfTheFeedIsNotKept() {
    assumeThat(followsFeed()).isTrue();
    follow(0);
    follow(5);
    assertThat(store.status().hasPrevious()).isFalse();
    assertThat(store.rollback()).isFalse();
    assertThat(store.status().generation()).isEqualTo(2);

    follow(5);
    assertThat(store.rollback()).isTrue();
    assertThat(store.status().generation()).isEqualTo(2);

    follow(7);
    assertThat(store.rollback()).isFalse();
    assertThat(store.check("a")).isEqualTo(ABSENT);
  }

  private void follow(long begun) {
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      build.awaitSource();
      build.follows(begun);
      build.publish();
    }
  }

  @Test
  void aGenerationAfterARollbackHasANumberOfItsOwn() {
    build(List.of("1"));
    build(List.of("2"));
    long second = store.status().generation();
    store.rollback();

    build(List.of("3"));

    assertThat(store.status().generation()).isGreaterThan(second);
  }

  @Test
  void oneCooldownIsOnForAllWhoShareTheStore() {
    GenerationStore other = another(store, filter);
    assertThat(store.cooldown()).isZero();

    assertThat(store.startCooldown(Duration.ofHours(1))).isZero();

    for (GenerationStore each : List.of(store, other)) {
      assertThat(each.cooldown()).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
      assertThat(each.startCooldown(Duration.ofHours(9)))
          .isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
    }
  }

  @Test
  void aCooldownOfNothingIsNone() {
    assertThat(store.startCooldown(Duration.ZERO)).isZero();
    assertThat(store.startCooldown(Duration.ZERO)).isZero();
    assertThat(store.cooldown()).isZero();
  }

  @Test
  void neitherBuildsNorAddsStartACooldown() {
    store.serveEmpty(shape());
    store.addAll(List.of("a"));
    build(List.of("a"));
    assertThat(store.cooldown()).isZero();
  }

  @Test
  void aCooldownEnds() {
    assertThat(store.startCooldown(Duration.ofMillis(1))).isZero();
    pass(Duration.ofMillis(1));
    Awaitility.await().until(() -> store.cooldown().isZero());
    assertThat(store.startCooldown(Duration.ofHours(1))).isZero();
    assertThat(store.cooldown()).isPositive();
  }

  @Test
  void explainSaysWhy() {
    KeyExplanation unknown = store.explain("a");
    assertThat(unknown.membership()).isEqualTo(UNKNOWN);
    assertThat(unknown.bits()).isEmpty();

    store.serveEmpty(shape());
    store.addAll(List.of("present-key"));
    KeyExplanation present = store.explain("present-key");
    KeyExplanation absent = store.explain("absent-key");

    assertThat(present.key()).isEqualTo("present-key");
    assertThat(present.membership()).isEqualTo(POSSIBLY_PRESENT);
    assertThat(present.bits())
        .hasSizeLessThanOrEqualTo(shape().hashes())
        .allMatch(KeyExplanation.Bit::set)
        .allMatch(bit -> bit.position() >= 0 && bit.position() < shape().bits());
    assertThat(absent.membership()).isEqualTo(ABSENT);
    if (showsBits()) {
      assertThat(present.bits()).isNotEmpty();
      assertThat(absent.bits()).anyMatch(bit -> !bit.set());
    }
    assertThat(unknown.reason()).isNotBlank();
    assertThat(List.of(present, absent))
        .allMatch(e -> !e.reason().isBlank() && !e.reason().contains(e.key()));
  }

  @Test
  void noAcknowledgedAddIsDeniedAcrossSwaps() throws Exception {
    List<String> rows = numbers(1_000_000, 1_000_100);
    build(rows);
    AtomicBoolean done = new AtomicBoolean();
    ConcurrentLinkedQueue<String> added = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<String> denied = new ConcurrentLinkedQueue<>();
    ExecutorService adders = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int adder = 0; adder < 2; adder++) {
        long first = adder * 5_000L;
        running.add(
            adders.submit(
                () -> {
                  for (long key = first; key < first + 5_000 && !done.get(); key++) {
                    String text = Long.toString(key);
                    store.addAll(List.of(text));
                    added.add(text);
                    if (store.check(text) == ABSENT) {
                      denied.add(text);
                    }
                  }
                }));
      }
      for (int swap = 0; swap < 10; swap++) {
        build(rows);
      }
      done.set(true);
      for (Future<?> adder : running) {
        adder.get();
      }
    } finally {
      adders.shutdownNow();
    }
    assertThat(denied).isEmpty();
    assertThat(store.checkAll(List.copyOf(added))).doesNotContain(ABSENT);
    assertThat(store.checkAll(rows)).containsOnly(POSSIBLY_PRESENT);
  }

  /** Builds and publishes a generation. */
  private void build(List<String> keys) {
    try (GenerationStore.Build build = store.beginBuild(shape())) {
      for (int from = 0; from < keys.size(); from += 1_000) {
        List<String> batch = keys.subList(from, Math.min(keys.size(), from + 1_000));
        build.addAll(batch.toArray(new String[1_000]), batch.size());
      }
      build.publish();
    }
  }

  private static List<String> numbers(long from, long to) {
    return LongStream.range(from, to).mapToObj(Long::toString).toList();
  }
}
