package io.bloomguard.generation.internal.source;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.BuildThreads;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.internal.KeyTypes;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Keys of rows that other programs insert enter between two builds. */
@ExtendWith(OutputCaptureExtension.class)
class IncrementalScanTest {

  private static final Duration RETENTION = Duration.ofMinutes(10);
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final KeyHasher HASHER = SipHash.oneThree(SECRET);
  private static final FilterShape SHAPE = Sizing.shape(Layout.BLOCKED, 20_000, 1e-9);

  private final ManualClock clock = new ManualClock();
  private final Instant start = clock.instant();
  private final Rows rows = new Rows();
  private final List<Collection<?>> added = new ArrayList<>();
  private LocalGenerations store = local(null);
  private @Nullable RuntimeException addFailure;

  @Test
  void aRowOfAnotherProgramEntersAtTheNextReading() {
    ManagedFilter filter = started();
    filter.maintain();
    rows.recent = List.of("theirs", 42L, 7);

    pass(filter, INTERVAL.minusSeconds(1));
    assertThat(store.checkAll(List.of("theirs", "42", "7")))
        .containsExactly(ABSENT, ABSENT, ABSENT);
    pass(filter, Duration.ofSeconds(1));

    assertThat(store.checkAll(List.of("theirs", "42", "7")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT);
  }

  @Test
  void readingsGoBackByTheRetentionFromTheBeginOfTheLastThatSucceeded() {
    ManagedFilter filter = started();
    clock.pass(Duration.ofSeconds(20));
    filter.maintain();
    rows.failure = new IOException("down");
    pass(filter, INTERVAL);
    pass(filter, INTERVAL);
    rows.failure = null;
    rows.during = () -> clock.pass(Duration.ofSeconds(5));
    pass(filter, INTERVAL);
    rows.during = () -> {};
    pass(filter, INTERVAL);

    assertThat(rows.asked.stream().map(since -> Duration.between(start, since.plus(RETENTION))))
        .as("the process' start, then the begin of the last reading to its end")
        .containsExactly(
            Duration.ZERO,
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            Duration.ofSeconds(110));
  }

  @Test
  void nothingIsReadWhileNothingServesAndTheBuildOfTheStartIsCovered() {
    ManagedFilter filter = filter(Runnable::run);
    filter.maintain();
    assertThat(rows.asked).isEmpty();
    clock.pass(Duration.ofHours(1));

    filter.requestRebuild(RebuildTrigger.SCHEDULE);
    filter.maintain();

    assertThat(rows.asked).containsExactly(start.minus(RETENTION));
  }

  @Test
  void oneReadingAtATimeIsUnderWay() {
    Queue<Runnable> queue = new ArrayDeque<>();
    ManagedFilter filter = started(queue::add);
    for (int second = 0; second < 100; second++) {
      pass(filter, Duration.ofSeconds(1));
    }
    assertThat(queue).hasSize(1);
    queue.remove().run();
    filter.maintain();
    assertThat(queue).as("the interval counts from the begin of the last").isEmpty();
    pass(filter, INTERVAL);
    assertThat(queue).hasSize(1);
  }

  @Test
  void anExecutorThatRefusesIsAskedAgain() {
    boolean[] refuses = {true};
    ManagedFilter filter =
        started(
            task -> {
              if (refuses[0]) {
                throw new IllegalStateException("full");
              }
              task.run();
            });
    filter.maintain();
    refuses[0] = false;
    filter.maintain();
    assertThat(rows.asked).hasSize(1);
  }

  @Test
  void aClockThatIsPutBackPutsNothingOffAndLeavesNothingOut() {
    ManagedFilter filter = started();
    filter.maintain();
    clock.pass(Duration.ofHours(-1));
    filter.maintain();

    assertThat(rows.asked)
        .containsExactly(start.minus(RETENTION), start.minus(RETENTION).minus(Duration.ofHours(1)));
  }

  /** The serving generation has all bits set by chance; the one that is being built has not. */
  @Test
  void aKeyThatOnlyLooksPresentEntersTheGenerationThatIsBeingBuilt() {
    ManagedFilter filter = started();
    try (GenerationStore.Build full = store.beginBuild(Sizing.shape(Layout.BLOCKED, 1, 0.1))) {
      String[] many = IntStream.range(0, 5_000).mapToObj(i -> "x" + i).toArray(String[]::new);
      full.addAll(many, many.length);
      full.publish();
    }
    assertThat(store.check("theirs")).isEqualTo(POSSIBLY_PRESENT);

    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      rows.recent = List.of("theirs");
      pass(filter, INTERVAL);
      build.publish();
    }

    assertThat(store.checkAll(List.of("theirs", "ours"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  @Test
  void whatWasReadBeforeIsAddedAgainOnlyIfItIsLost() {
    ManagedFilter filter = started();
    rows.recent = List.of("a", "b");
    filter.maintain();
    pass(filter, INTERVAL);
    rows.recent = List.of("a", "b", "c");
    pass(filter, INTERVAL);
    assertThat(added).containsExactly(List.of("a", "b"), List.of("c"));

    store = local(null);
    store.beginBuild(SHAPE).publish();
    pass(filter, INTERVAL);

    assertThat(added.subList(2, added.size())).containsExactly(List.of("a", "b", "c"));
  }

  @Test
  void manyRowsAreAddedInBatches() {
    ManagedFilter filter = started();
    rows.recent = IntStream.range(0, 10_000).boxed().toList();
    filter.maintain();
    assertThat(added).hasSize(10);
    assertThat(IntStream.range(0, 10_000)).allMatch(i -> store.check(i) == POSSIBLY_PRESENT);
    pass(filter, INTERVAL);
    assertThat(added).hasSize(10);
  }

  @Test
  void aFailureIsSaidOnceForEachReasonAndSoIsItsEnd(CapturedOutput output) {
    ManagedFilter filter = started();
    rows.failure = new KeySourceException("no table 1", null);
    pass(filter, INTERVAL);
    pass(filter, INTERVAL);
    rows.failure = new KeySourceException("no table 2", null);
    pass(filter, INTERVAL);
    rows.failure = null;
    pass(filter, INTERVAL);
    pass(filter, INTERVAL);

    assertThat(times(output, "no table 1")).isEqualTo(1);
    assertThat(times(output, "no table 2")).isEqualTo(1);
    assertThat(times(output, "recent keys are read again")).isEqualTo(1);
  }

  @Test
  void aStoreThatFailsIsTriedAgainWithTheSameRowsAndItsMessageIsNotShown(CapturedOutput output) {
    ManagedFilter filter = started();
    rows.recent = List.of("a");
    rows.swallows = true;
    addFailure = new AddFailedException("SETBIT sesame", null);
    filter.maintain();
    pass(filter, INTERVAL);

    assertThat(rows.asked).containsExactly(start.minus(RETENTION), start.minus(RETENTION));
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(output).contains(AddFailedException.class.getName()).doesNotContain("sesame");
  }

  @Test
  void aRowThatHoldsNoKeyKeepsNoOtherOut(CapturedOutput output) {
    ManagedFilter filter = started();
    rows.recent = Arrays.asList("sesame\u0007", null, 1.5, "good");
    long before = System.nanoTime();
    filter.maintain();
    pass(filter, INTERVAL);
    assertThat(filter.arrivals().completeSince(before)).isTrue();

    assertThat(store.check("good")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(rows.asked).last().isEqualTo(start.minus(RETENTION));
    assertThat(times(output, "2 keys are refused")).isEqualTo(1);
    assertThat(output).contains("control characters").doesNotContain("sesame");
  }

  @Test
  void anInterruptEndsAReading() {
    ManagedFilter filter = started();
    rows.recent = List.of("a");
    Thread.currentThread().interrupt();
    filter.maintain();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.check("a")).isEqualTo(ABSENT);
    pass(filter, INTERVAL);
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aSourceThatKnowsNothingOfItIsAskedOnce() {
    rows.knows = false;
    ManagedFilter filter = started();
    for (int second = 0; second < 100; second++) {
      pass(filter, Duration.ofSeconds(1));
    }
    assertThat(rows.known).isEqualTo(1);
    assertThat(rows.asked).isEmpty();
    assertThat(filter.arrivals().expected()).isFalse();
    assertThat(filter.addRecent(start)).isZero();
  }

  @Test
  void aTrustedSnapshotIsCaughtUpFromItsOwnTimeOn(@TempDir Path directory) {
    store = local(snapshot(directory));
    store.beginBuild(SHAPE).publish();
    clock.pass(Duration.ofHours(3));
    store = local(snapshot(directory));
    Instant created = clock.instant();
    ManagedFilter filter = filter(Runnable::run);
    clock.pass(Duration.ofSeconds(1));
    filter.maintain();
    pass(filter, INTERVAL);

    assertThat(rows.asked)
        .containsExactly(start.minus(RETENTION), created.plusSeconds(1).minus(RETENTION));
  }

  @Test
  void whatIsAskedForNowIsAddedNowAndCounted() {
    ManagedFilter filter = started();
    store.addAll(List.of("a"));
    rows.recent = List.of("a", "b", "c");

    assertThat(filter.arrivals().expected()).isTrue();
    assertThat(filter.addRecent(Instant.EPOCH)).isEqualTo(2);

    assertThat(rows.asked).containsExactly(Instant.EPOCH);
    assertThat(store.checkAll(List.of("b", "c"))).containsOnly(POSSIBLY_PRESENT);
    assertThat(filter.addRecent(Instant.EPOCH)).isZero();
  }

  @Test
  void whatIsAskedForNowFailsWithItsReason() {
    ManagedFilter filter = started();
    rows.failure = new IOException("down");
    assertThatThrownBy(() -> filter.addRecent(start))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("items")
        .hasCause(rows.failure);
    rows.failure = null;
    rows.recent = List.of("a");
    RuntimeException away = new AddFailedException("away", null);
    addFailure = away;
    assertThatThrownBy(() -> filter.addRecent(start)).isSameAs(away);
  }

  @Test
  void withoutASourceThereIsNothingRecent() {
    ManagedFilter filter =
        TestGenerations.managed(
            settings(), store, null, Runnable::run, clock, RebuildListener.NONE);
    filter.maintain();
    assertThat(filter.arrivals().expected()).isFalse();
    assertThat(filter.addRecent(start)).isZero();
  }

  private void pass(ManagedFilter filter, Duration time) {
    clock.pass(time);
    filter.maintain();
  }

  private ManagedFilter started() {
    return started(Runnable::run);
  }

  /** A filter that serves an empty generation, with {@code readers} for its readings. */
  private ManagedFilter started(Executor readers) {
    store.beginBuild(SHAPE).publish();
    return filter(readers);
  }

  private ManagedFilter filter(Executor readers) {
    return new ManagedFilter(
        settings(),
        watched(),
        rows,
        new BuildThreads(Runnable::run, readers, new SourceThreads()),
        clock,
        RebuildListener.NONE,
        new KeyTypes(),
        ManagedFilter.Pause.SLEEP);
  }

  private static FilterSettings settings() {
    return new FilterSettings(
        "items",
        Layout.BLOCKED,
        8,
        20_000,
        1e-9,
        WarmUpMode.NONE,
        Duration.ZERO,
        1,
        0,
        new KeyRules(64),
        RETENTION,
        INTERVAL,
        new SourceRules(false, 0, 0.5));
  }

  private LocalGenerations local(@Nullable Snapshot snapshot) {
    return new LocalGenerations(
        "items",
        shape -> MembershipFilters.create(shape, HASHER),
        SHAPE,
        RETENTION,
        TestGenerations.journal("items"),
        1,
        clock::nanos,
        snapshot);
  }

  private Snapshot snapshot(Path directory) {
    return new Snapshot(
        "items",
        directory.resolve("items"),
        new BlockedSnapshot("items", SHAPE, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT),
        Duration.ofHours(24),
        true,
        false,
        clock);
  }

  /** The store of this test, which writes down what is added, and can fail once. */
  private GenerationStore watched() {
    return (GenerationStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {GenerationStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("addAll")) {
                RuntimeException once = addFailure;
                addFailure = null;
                if (once != null) {
                  throw once;
                }
                added.add(List.copyOf((Collection<?>) arguments[0]));
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static int times(CapturedOutput output, String text) {
    return output.getOut().split(text, -1).length - 1;
  }

  /** A source without rows but recent ones. */
  private static final class Rows implements KeySource {

    private final List<Instant> asked = new ArrayList<>();
    private List<? extends @Nullable Object> recent = List.of();
    private @Nullable Exception failure;
    private Runnable during = () -> {};
    private boolean knows = true;
    private boolean swallows;
    private int known;

    @Override
    public void forEach(KeySink sink) {}

    @Override
    public boolean knowsRecent() {
      known++;
      return knows;
    }

    @Override
    public void forEachRecent(Instant since, KeySink sink) throws Exception {
      asked.add(since);
      during.run();
      if (failure != null) {
        throw failure;
      }
      for (Object key : recent) {
        if (key instanceof Long number) {
          sink.accept(number.longValue());
        } else {
          sink.accept(key);
        }
      }
      if (swallows) {
        for (int i = 0; i < 2_000; i++) {
          try {
            sink.accept("a");
          } catch (RuntimeException e) {
            // What a source must not do.
          }
        }
      }
    }
  }
}
