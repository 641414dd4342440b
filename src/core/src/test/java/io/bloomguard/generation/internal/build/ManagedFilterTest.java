package io.bloomguard.generation.internal.build;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildStatusStore;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.RebuildRefusedException.Reason;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ManagedFilterTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final KeyHasher HASHER = SipHash.oneThree(SECRET);
  private static final Duration COOLDOWN = Duration.ofMinutes(1);
  private static final SourceRules ADDED_ONLY = new SourceRules(true, 1, 0.5);

  private final ManualClock clock = new ManualClock();
  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private final Heard heard = new Heard();
  private WarmUpMode mode = WarmUpMode.BACKGROUND;
  private SourceRules sourceRules = SourceRules.DEFAULT;
  private long expectedInsertions = 1_000;
  private double atFill = 0.6;
  private double atRepeated;
  private final LocalGenerations store =
      TestGenerations.local(
          "items",
          shape -> MembershipFilters.create(shape, HASHER),
          settings().shape(),
          Duration.ofMinutes(10),
          1,
          clock::nanos);

  @AfterEach
  void stopBackground() {
    background.shutdownNow();
  }

  @Test
  void aBackgroundWarmUpIsWarmingUntilItServes() throws Exception {
    Gate gate = new Gate(List.of("a", 42, 7L));
    ManagedFilter filter = filter(gate, background);

    filter.start();
    gate.awaitReading();
    assertThat(filter.status().state()).isEqualTo(FilterState.WARMING);
    assertThat(filter.progress().running()).isTrue();
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
    gate.open();
    finish();

    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(filter.progress()).isEqualTo(RebuildProgress.NONE);
    assertThat(store.checkAll(List.of("a", "42", "7")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT);
    RebuildReport report = filter.lastRebuild().orElseThrow();
    assertThat(report.outcome()).isEqualTo(RebuildOutcome.SUCCEEDED);
    assertThat(report.trigger()).isEqualTo(RebuildTrigger.WARM_UP);
    assertThat(report.keys()).isEqualTo(3);
    assertThat(filter.lastSuccess()).contains(report);
    assertThat(heard.events).containsExactly("start WARM_UP", "end SUCCEEDED");
  }

  @Test
  void aBlockingWarmUpServesWhenItReturns() {
    mode = WarmUpMode.BLOCKING;
    filter(of("a"), nowhere()).start();
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aBlockingWarmUpThatFailsSaysWhy() {
    mode = WarmUpMode.BLOCKING;
    ManagedFilter filter = filter(failing(new KeySourceException("no table", null)), nowhere());

    assertThatThrownBy(filter::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("items")
        .hasMessageContaining("no table");
    assertThat(filter.status().state()).isEqualTo(FilterState.FAILED);
  }

  @Test
  void aBlockingWarmUpWaitsForTheBuildOfAnotherProcess() {
    mode = WarmUpMode.BLOCKING;
    GenerationStore.Build other = store.beginBuild(settings().shape());
    other.addAll(new String[] {"theirs"}, 1);
    List<Duration> pauses = new ArrayList<>();
    ManagedFilter filter =
        waiting(
            pause -> {
              pauses.add(pause);
              if (pauses.size() == 3) {
                other.publish();
              }
            });

    filter.start();

    assertThat(pauses).hasSize(3);
    assertThat(store.checkAll(List.of("theirs", "ours"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  @Test
  void aBlockingWarmUpBuildsItselfWhenTheOtherProcessGaveUp() {
    mode = WarmUpMode.BLOCKING;
    GenerationStore.Build other = store.beginBuild(settings().shape());
    waiting(pause -> other.close()).start();
    assertThat(store.check("ours")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aBlockingWarmUpDoesNotWaitForEver() {
    mode = WarmUpMode.BLOCKING;
    try (GenerationStore.Build other = store.beginBuild(settings().shape())) {
      ManagedFilter filter = waiting(clock::pass);

      assertThatThrownBy(filter::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("items");
    }
  }

  @Test
  void withoutWarmUpNothingIsBuiltUntilAsked() {
    mode = WarmUpMode.NONE;
    ManagedFilter filter = filter(of("a"), Runnable::run);
    filter.start();
    filter.maintain();
    assertThat(filter.status().state()).isEqualTo(FilterState.EMPTY);

    filter.requestRebuild(RebuildTrigger.REQUEST);

    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
  }

  @Test
  void filterOfAddedKeysOnlyServesAnEmptyGenerationAndRefusesARebuild() {
    sourceRules = ADDED_ONLY;
    ManagedFilter filter = filter(null, nowhere());
    filter.start();
    store.addAll(List.of("a"));

    assertThat(store.checkAll(List.of("a", "b"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(refusal(filter, RebuildTrigger.REQUEST).reason()).isEqualTo(Reason.NO_SOURCE);
  }

  @Test
  void filterWithoutASourceKnowsNothingAndSaysWhatToSet(CapturedOutput output) {
    ManagedFilter filter = filter(null, nowhere());
    filter.start();
    store.addAll(List.of("a"));
    filter.maintain();

    assertThat(store.checkAll(List.of("a", "b"))).containsOnly(UNKNOWN);
    assertThat(filter.status().state()).isEqualTo(FilterState.EMPTY);
    assertThat(output)
        .contains("bloomguard.filters.items.source.jdbc")
        .contains("bloomguard.filters.items.source.added-only: true");
    assertThat(filter.warnings()).singleElement().asString().contains("source.added-only: true");
  }

  @Test
  void filterWithoutASourceAnswersByWhatOthersBuild() {
    store.beginBuild(settings().shape()).publish();
    ManagedFilter filter = filter(null, nowhere());
    filter.start();

    assertThat(store.check("a")).isEqualTo(ABSENT);
    assertThat(filter.warnings()).isEmpty();
  }

  @Test
  void emptySourceIsNotPublishedAndTriedAgainWhileAddsCount(CapturedOutput output) {
    List<Object> rows = new ArrayList<>();
    ManagedFilter filter = filter(sink -> rows.forEach(sink::accept), Runnable::run);
    filter.start();
    store.addAll(List.of("added"));

    assertThat(store.checkAll(List.of("a", "added"))).containsOnly(UNKNOWN);
    assertThat(filter.status().state()).isEqualTo(FilterState.FAILED);
    assertThat(failure(filter)).contains("0 keys", "the 1 of warm-up.min-keys");
    assertThat(output).contains("and nothing serves").doesNotContain("still serves");
    assertThat(filter.warnings()).singleElement().asString().contains("min-keys", "tried again");

    rows.add("a");
    filter.maintain();
    assertThat(store.check("a")).as("not before the backoff is over").isEqualTo(UNKNOWN);
    clock.pass(Duration.ofSeconds(5));
    filter.maintain();
    assertThat(store.checkAll(List.of("a", "added", "b")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(filter.warnings()).isEmpty();
  }

  @Test
  void anEmptyTableIsNoError(CapturedOutput output) {
    filter(of(), Runnable::run).start();
    assertThat(output).contains("INFO").contains("its source is empty").doesNotContain("ERROR");
  }

  @Test
  void oneUnusableKeyAmongManyIsSkippedAndSaid(CapturedOutput output) {
    expectedInsertions = 10_000;
    ManagedFilter filter =
        filter(
            sink -> {
              sink.accept("secret\nfeed");
              numbers(5_000).forEach(sink);
              sink.accept("secret\u0000");
              sink.accept("last");
            },
            Runnable::run);
    filter.start();
    assertThat(store.checkAll(List.of("0", "4999", "last", "nothing")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(filter.lastRebuild().orElseThrow().keys()).isEqualTo(5_001);
    assertThat(output)
        .contains("WARN", "2 of 5003 keys are refused", "control characters")
        .doesNotContain("secret");
  }

  @Test
  void moreUnusableKeysThanMayBeFailTheBuild() {
    sourceRules = new SourceRules(false, 1, 0.5, Duration.ofMinutes(1), 0.001);
    ManagedFilter filter =
        filter(
            sink -> {
              sink.accept("a\n");
              numbers(900).forEach(sink);
            },
            Runnable::run);
    filter.start();
    assertThat(filter.status().state()).isEqualTo(FilterState.FAILED);
    assertThat(failure(filter)).contains("1 of 901 keys", "warm-up.max-unusable", "0.001");
    filter.requestRebuild(RebuildTrigger.REQUEST, true);
    assertThat(failure(filter)).as("not by force").contains("max-unusable");
  }

  @Test
  void emptySourceIsPublishedWhereItMayBeEmpty() {
    sourceRules = new SourceRules(false, 0, 0.5);
    filter(of(), Runnable::run).start();

    assertThat(store.check("a")).isEqualTo(ABSENT);
  }

  @Test
  void sourceThatShrankTooMuchIsNotPublishedUnlessByForce(CapturedOutput output) {
    AtomicLong rows = new AtomicLong(100);
    ManagedFilter filter = filter(sink -> numbers(rows.get()).forEach(sink), Runnable::run);
    filter.start();
    assertThat(store.keysRead()).isEqualTo(100);

    rows.set(49);
    filter.requestRebuild(RebuildTrigger.SCHEDULE);
    assertThat(failure(filter)).contains("49 keys", "100 when", "rebuild.max-shrink", "0.5");
    assertThat(store.check(99)).as("the generation before").isEqualTo(POSSIBLY_PRESENT);
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(output).contains("the earlier generation still serves").contains("max-shrink");

    filter.requestRebuild(RebuildTrigger.REQUEST, true);
    assertThat(store.check(99)).isEqualTo(ABSENT);
    assertThat(store.keysRead()).isEqualTo(49);
    rows.set(25);
    filter.requestRebuild(RebuildTrigger.SCHEDULE);
    assertThat(store.keysRead()).as("half of the new number is enough").isEqualTo(25);
  }

  private static String failure(ManagedFilter filter) {
    RebuildReport last = filter.lastRebuild().orElseThrow();
    assertThat(last.outcome()).isEqualTo(RebuildOutcome.FAILED);
    return String.valueOf(last.failure());
  }

  @Test
  void filterThatOutgrewItsSizeSaysOnceAGenerationWhatToSet(CapturedOutput output) {
    expectedInsertions = 100;
    atFill = 1;
    ManagedFilter filter = filter(numbers(200), Runnable::run);
    filter.start();
    filter.maintain();
    filter.maintain();

    assertThat(output.getOut().split("items.expected-insertions: set that to 2[4-6]0", -1))
        .as("about 200 and a quarter more")
        .hasSize(2);

    filter.requestRebuild(RebuildTrigger.SCHEDULE);
    filter.maintain();
    assertThat(output.getOut().split("items.expected-insertions: set that to", -1)).hasSize(3);
  }

  @Test
  void sourceOfAnotherColumnFailsAfterTheFirstBatchWithBothTypes() {
    KeyTypes keyTypes = new KeyTypes();
    assertThat(keyTypes.asked("items", long.class, "Items.find")).isNull();
    AtomicLong read = new AtomicLong();
    KeySource names =
        sink -> {
          for (int i = 0; i < 10_000; i++) {
            read.incrementAndGet();
            sink.accept("name-" + i);
          }
        };
    ManagedFilter filter =
        new ManagedFilter(
            settings(),
            store,
            names,
            new BuildThreads(Runnable::run, Runnable::run, new SourceThreads()),
            clock,
            heard,
            keyTypes,
            ManagedFilter.Pause.SLEEP);
    filter.start();

    assertThat(failure(filter))
        .contains(
            "yields text", "Items.find asks filter 'items' with a long", "0 of its first 1024")
        .doesNotContain("name-");
    assertThat(read).as("after the first batch").hasValue(1_024);
    assertThat(store.check("name-1")).isEqualTo(UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource(names = {"LOWER", "UPPER"})
  void keysAreOfTheTypeTheyHaveOnceTheyAreFolded(KeyFolding.LetterCase letterCase) {
    KeyTypes keyTypes = new KeyTypes();
    assertThat(keyTypes.asked("items", UUID.class, "Items.find")).isNull();
    KeyFolding folding =
        new KeyFolding(letterCase, KeyFolding.Trim.TRAILING, KeyFolding.Normalise.NONE);
    FilterSettings settings =
        TestGenerations.settings(
            "items",
            Layout.BLOCKED,
            10,
            0.001,
            WarmUpMode.BACKGROUND,
            COOLDOWN,
            1,
            new KeyRules(64).with(folding));
    KeySource upper = of("123E4567-E89B-12D3-A456-426614174000  ");
    new ManagedFilter(
            settings,
            store,
            upper,
            new BuildThreads(Runnable::run, Runnable::run, new SourceThreads()),
            clock,
            heard,
            keyTypes,
            ManagedFilter.Pause.SLEEP)
        .start();

    assertThat(heard.events).endsWith("end SUCCEEDED");
  }

  @Test
  void smallSourceOfAnotherColumnFailsAtItsEnd() {
    KeyTypes keyTypes = new KeyTypes();
    assertThat(keyTypes.asked("items", UUID.class, "Items.find")).isNull();
    ManagedFilter filter =
        new ManagedFilter(
            settings(),
            store,
            of(1L, 2L),
            new BuildThreads(Runnable::run, Runnable::run, new SourceThreads()),
            clock,
            heard,
            keyTypes,
            ManagedFilter.Pause.SLEEP);
    filter.start();

    assertThat(failure(filter)).contains("yields numbers", "with a UUID", "0 of its first 2");
  }

  @Test
  void whatServesAlreadyIsNotBuiltAgain() {
    store.beginBuild(settings().shape()).publish();
    for (WarmUpMode each : WarmUpMode.values()) {
      mode = each;
      filter(of("a"), Runnable::run).start();
    }
    assertThat(heard.events).isEmpty();
    assertThat(store.status().generation()).isEqualTo(1);
  }

  @Test
  void aRebuildOnRequestArmsWhatItPublishes() {
    ManagedFilter filter = filter(of("a"), Runnable::run);
    filter.start();
    store.enforcement().disarm(store.generation());
    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(store.generation()).isEqualTo(2);
    assertThat(store.enforcement().standing().disarmed()).isFalse();
  }

  @Test
  void aWrongRejectionBetweenPublishingAndArmingIsNotForgotten() {
    // The time of a build's end is read once it is published.
    InstantSource clock =
        () -> {
          if (store.generation() == 2) {
            store.enforcement().disarm(2);
          }
          return this.clock.instant();
        };
    ManagedFilter filter =
        TestGenerations.managed(settings(), store, of("a"), Runnable::run, clock, heard);
    filter.start();
    store.enforcement().disarm(store.generation());
    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(store.generation()).isEqualTo(2);
    assertThat(store.enforcement().standing().disarmed()).isTrue();
  }

  @Test
  void oneBuildRunsAtATime() throws Exception {
    Gate gate = new Gate(List.of("a"));
    ManagedFilter filter = filter(gate, background);
    String run = filter.requestRebuild(RebuildTrigger.REQUEST);
    gate.awaitReading();

    assertThat(filter.progress().run()).isEqualTo(run);
    for (RebuildTrigger trigger : RebuildTrigger.values()) {
      assertThat(refusal(filter, trigger).reason()).isEqualTo(Reason.RUNNING);
      assertThat(refusal(filter, trigger).retryAfter()).isZero();
    }
    gate.open();
    finish();
    assertThat(filter.lastRebuild().orElseThrow().run()).isEqualTo(run);
  }

  @Test
  void aBuildOfAnotherProcessIsRunningToo() {
    try (GenerationStore.Build other = store.beginBuild(settings().shape())) {
      ManagedFilter filter = filter(of("a"), Runnable::run);
      assertThat(refusal(filter, RebuildTrigger.REQUEST).reason()).isEqualTo(Reason.RUNNING);
      other.publish();
      filter.requestRebuild(RebuildTrigger.REQUEST);
    }
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void theCooldownIsBetweenRequestedRebuildsOnly() {
    ManagedFilter filter = filter(of("a"), Runnable::run);
    filter.start();
    filter.requestRebuild(RebuildTrigger.REQUEST);
    clock.pass(Duration.ofSeconds(20));

    RebuildRefusedException refusal = refusal(filter, RebuildTrigger.REQUEST);
    assertThat(refusal.reason()).isEqualTo(Reason.COOLDOWN);
    assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(40));
    filter.requestRebuild(RebuildTrigger.SCHEDULE);
    clock.pass(Duration.ofSeconds(40));
    filter.requestRebuild(RebuildTrigger.REQUEST);

    assertThat(store.status().generation()).isEqualTo(4);
  }

  @Test
  void theCooldownIsThatOfAllProcesses() {
    ManagedFilter here = filter(of("a"), Runnable::run);
    ManagedFilter there = filter(of("a"), Runnable::run);
    here.requestRebuild(RebuildTrigger.REQUEST);
    clock.pass(Duration.ofSeconds(20));

    RebuildRefusedException refusal = refusal(there, RebuildTrigger.REQUEST);

    assertThat(refusal.reason()).isEqualTo(Reason.COOLDOWN);
    assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(40));
    there.requestRebuild(RebuildTrigger.SCHEDULE);
  }

  @Test
  void aRefusalWithinTheCooldownReadsTheStatusOnce() {
    AtomicInteger reads = new AtomicInteger();
    RebuildStatusStore counted =
        new RebuildStatusStore() {
          @Override
          public RebuildStatus read() {
            reads.incrementAndGet();
            return RebuildStatus.NONE;
          }

          @Override
          public boolean cancel() {
            return false;
          }
        };
    ManagedFilter filter = filter(with("rebuildStatus", counted), of("a"), Runnable::run);
    String run = filter.requestRebuild(RebuildTrigger.REQUEST);
    reads.set(0);

    assertThat(refusal(filter, RebuildTrigger.REQUEST).run()).isEqualTo(run);
    assertThat(reads).hasValue(1);
  }

  @Test
  void aRefusedRequestStartsNoCooldown() {
    ManagedFilter filter = filter(of("a"), Runnable::run);
    try (GenerationStore.Build other = store.beginBuild(settings().shape())) {
      assertThat(refusal(filter, RebuildTrigger.REQUEST).reason()).isEqualTo(Reason.RUNNING);
    }
    assertThat(refusal(filter(null, nowhere()), RebuildTrigger.REQUEST).reason())
        .isEqualTo(Reason.NO_SOURCE);
    assertThat(store.cooldown()).isZero();
    filter.requestRebuild(RebuildTrigger.REQUEST);
  }

  /** Another process's request may come and end between the first look and the build. */
  @Test
  void aCooldownThatBeganMeanwhileLeavesNoBuildBehind() {
    GenerationStore late =
        (GenerationStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {GenerationStore.class},
                (proxy, method, arguments) -> {
                  Object answer = method.invoke(store, arguments);
                  if (method.getName().equals("cooldown")) {
                    store.startCooldown(COOLDOWN);
                  }
                  return answer;
                });
    ManagedFilter filter =
        TestGenerations.managed(settings(), late, of("a"), Runnable::run, clock, heard);

    assertThat(refusal(filter, RebuildTrigger.REQUEST).reason()).isEqualTo(Reason.COOLDOWN);

    assertThat(filter.progress().running()).isFalse();
    store.beginBuild(settings().shape()).close();
  }

  @Test
  void aCancelledBuildStopsAtTheNextKeyAndWhatServedServesOn() throws Exception {
    store.beginBuild(settings().shape()).publish();
    Gate gate = new Gate(List.of("a", "b"));
    ManagedFilter filter = filter(gate, background);
    assertThat(filter.cancelRebuild()).isFalse();
    filter.requestRebuild(RebuildTrigger.REQUEST);
    gate.awaitReading();

    assertThat(filter.cancelRebuild()).isTrue();
    gate.open();
    finish();

    assertThat(gate.yielded).isZero();
    assertThat(filter.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);
    assertThat(filter.lastSuccess()).isEmpty();
    assertThat(store.status().generation()).isEqualTo(1);
    store.beginBuild(settings().shape()).close();
  }

  @Test
  void anInterruptCancelsTheBuild() throws Exception {
    Gate gate = new Gate(List.of("a"));
    ManagedFilter filter = filter(gate, background);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    gate.awaitReading();

    background.shutdownNow();
    assertThat(background.awaitTermination(1, TimeUnit.MINUTES)).isTrue();

    assertThat(filter.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);
    assertThat(filter.status().state()).isEqualTo(FilterState.EMPTY);
  }

  @Test
  void aSourceThatFailsHalfWayLeavesWhatServed(CapturedOutput output) {
    store.beginBuild(settings().shape()).publish();
    ManagedFilter filter = filter(failing(new IOException("lost the connection")), Runnable::run);

    filter.requestRebuild(RebuildTrigger.REQUEST);

    RebuildReport report = filter.lastRebuild().orElseThrow();
    assertThat(report.outcome()).isEqualTo(RebuildOutcome.FAILED);
    assertThat(report.failure()).isEqualTo(IOException.class.getName());
    assertThat(report.keys()).isEqualTo(1);
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.status().generation()).isEqualTo(1);
    assertThat(output).contains("lost the connection");
  }

  @Test
  void aSourceThatSwallowsTheCancellationIsNotPublished() {
    ManagedFilter[] filter = new ManagedFilter[1];
    KeySource stubborn =
        sink -> {
          filter[0].cancelRebuild();
          try {
            sink.accept("a");
          } catch (RuntimeException e) {
            // What a source must not do.
          }
        };
    filter[0] = filter(stubborn, Runnable::run);

    filter[0].requestRebuild(RebuildTrigger.REQUEST);

    assertThat(filter[0].lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
  }

  @Test
  void keysThatBreakTheRulesAreCountedToTheEndAndFailTheBuild(CapturedOutput output) {
    String tooLong = "secret".repeat(20);
    ManagedFilter filter =
        filter(of("good", tooLong, "bell\u0007", 1.5, "", "good-too", 3L), Runnable::run);

    filter.requestRebuild(RebuildTrigger.REQUEST);

    RebuildReport report = filter.lastRebuild().orElseThrow();
    assertThat(report.outcome()).isEqualTo(RebuildOutcome.FAILED);
    assertThat(report.failure()).contains("4 of 7").contains("64 bytes").doesNotContain("secret");
    assertThat(filter.status().state()).isEqualTo(FilterState.FAILED);
    assertThat(output).contains("4 of 7").doesNotContain("secret");
  }

  @Test
  void nullsAreSkippedAndTheirNumberLoggedOnce(CapturedOutput output) {
    List<@Nullable Object> keys = new ArrayList<>(Collections.nCopies(3, null));
    keys.add("a");
    KeySource source = sink -> keys.forEach(sink::accept);
    ManagedFilter filter = filter(source, Runnable::run);

    filter.requestRebuild(RebuildTrigger.REQUEST);

    assertThat(filter.lastRebuild().orElseThrow().keys()).isEqualTo(1);
    assertThat(output.getOut().split("3 nulls", -1)).hasSize(2);
  }

  @Test
  void progressIsLoggedEveryTenSecondsWithTheRateAndTheRest(CapturedOutput output) {
    expectedInsertions = 100_000;
    List<RebuildProgress> seen = new ArrayList<>();
    ManagedFilter[] filter = new ManagedFilter[1];
    KeySource slow =
        new KeySource() {
          @Override
          public void forEach(KeySink sink) {
            for (long key = 0; key < 4 * 1024; key++) {
              if (key % 1024 == 1023) {
                clock.pass(Duration.ofSeconds(8));
              }
              sink.accept(key);
              if (key % 1024 == 1023) {
                seen.add(filter[0].progress());
              }
            }
          }

          @Override
          public OptionalLong count() {
            return OptionalLong.of(8 * 1024);
          }
        };
    filter[0] = filter(slow, Runnable::run);

    filter[0].requestRebuild(RebuildTrigger.REQUEST);

    // After 8, 16, 24 and 32 s: the second and the fourth are 10 s or more after the one before.
    assertThat(output.getOut().split("keys/s", -1)).hasSize(3);
    assertThat(output).contains("2048 of 8192 keys, 128 keys/s, 48 s left");
    assertThat(output).contains("generation 1 serves 4096 keys, built in 32000 ms");
    assertThat(seen.get(1).scanned()).isEqualTo(2048);
    assertThat(seen.get(1).total()).isEqualTo(8192);
    assertThat(seen.get(1).ratePerSecond()).isEqualTo(128);
    assertThat(seen.get(1).etaSeconds()).isEqualTo(48);
  }

  @Test
  void aFilterThatIsTooFullIsRebuiltOnceAndLarger() {
    atFill = 0.5;
    ManagedFilter filter = filter(numbers(20_000), Runnable::run);
    filter.start();
    assertThat(store.status().fillRatio()).isGreaterThan(0.9);

    List<RebuildTrigger> triggers = new ArrayList<>();
    for (int second = 0; second < 600; second++) {
      clock.pass(Duration.ofSeconds(1));
      long before = store.status().generation();
      filter.maintain();
      if (store.status().generation() != before) {
        triggers.add(filter.lastRebuild().orElseThrow().trigger());
      }
    }

    assertThat(triggers).containsExactly(RebuildTrigger.FILL);
    assertThat(store.status().fillRatio()).isLessThanOrEqualTo(0.38);
    assertThat(store.status().shape().expectedInsertions()).isEqualTo(32_000);
  }

  @Test
  void falsePositivesThatAreLoadedAgainAreEndedByOneRebuild() {
    atRepeated = 2;
    ManagedFilter filter = filter(numbers(1_000), Runnable::run);
    filter.start();
    long number =
        LongStream.range(10_000, 1_000_000)
            .filter(key -> store.check(key) == POSSIBLY_PRESENT)
            .findFirst()
            .orElseThrow();
    List<RebuildTrigger> triggers = new ArrayList<>();
    for (int second = 0; second < 60; second++) {
      clock.pass(Duration.ofSeconds(1));
      long before = store.status().generation();
      for (int i = 0; i < (triggers.isEmpty() && second >= 20 ? 3 : 0); i++) {
        store.foundNothing(Long.toString(number));
      }
      filter.maintain();
      if (store.status().generation() != before) {
        triggers.add(filter.lastRebuild().orElseThrow().trigger());
      }
    }
    assertThat(triggers).containsExactly(RebuildTrigger.REPEATED);
  }

  @Test
  void aThresholdBelowTheDesignedFillDoesNotRebuildWithoutEnd() {
    atFill = 0.2;
    ManagedFilter filter = filter(numbers(1_000), Runnable::run);
    filter.start();
    for (int second = 0; second < 60; second++) {
      clock.pass(Duration.ofSeconds(1));
      filter.maintain();
    }
    clock.pass(COOLDOWN);
    filter.requestRebuild(RebuildTrigger.SCHEDULE);
    filter.maintain();

    assertThat(heard.events)
        .containsExactly(
            "start WARM_UP",
            "end SUCCEEDED",
            "start FILL",
            "end SUCCEEDED",
            "start SCHEDULE",
            "end SUCCEEDED");
  }

  @Test
  void aFailedWarmUpIsTriedAgainEverLessOften() {
    ManagedFilter filter = filter(failing(new IOException("down")), Runnable::run);
    filter.start();
    List<Long> seconds = new ArrayList<>();
    for (long second = 1; second <= 1_300; second++) {
      clock.pass(Duration.ofSeconds(1));
      int before = heard.events.size();
      filter.maintain();
      if (heard.events.size() > before) {
        seconds.add(second);
        assertThat(filter.lastRebuild().orElseThrow().trigger()).isEqualTo(RebuildTrigger.RECOVERY);
      }
    }
    assertThat(seconds).containsExactly(5L, 15L, 35L, 75L, 155L, 315L, 615L, 915L, 1215L);
  }

  @Test
  void aStoreOutOfReachIsTriedAgainEveryFiveSecondsAndSaidOnce(CapturedOutput output) {
    List<Long> tries = new ArrayList<>();
    AtomicLong second = new AtomicLong();
    AtomicBoolean reached = new AtomicBoolean();
    ManagedFilter filter =
        TestGenerations.managed(
            settings(),
            outOfReach(reached, () -> tries.add(second.get())),
            of("a"),
            Runnable::run,
            clock,
            heard);
    filter.start();
    for (int i = 0; i < 600; i++) {
      clock.pass(Duration.ofSeconds(1));
      second.incrementAndGet();
      filter.maintain();
    }

    assertThat(tries).hasSize(121).startsWith(0L, 5L, 10L).endsWith(595L, 600L);
    assertThat(heard.events).isEmpty();
    assertThat(output.getOut().split("the store is away", -1)).hasSize(2);
    assertThatThrownBy(() -> filter.requestRebuild(RebuildTrigger.REQUEST))
        .isInstanceOf(StoreUnavailableException.class);

    reached.set(true);
    clock.pass(Duration.ofSeconds(5));
    filter.maintain();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
  }

  @Test
  void aBlockingWarmUpSaysThatTheStoreIsOutOfReach() {
    mode = WarmUpMode.BLOCKING;
    GenerationStore away = outOfReach(new AtomicBoolean(), () -> {});
    ManagedFilter filter =
        TestGenerations.managed(settings(), away, of("a"), nowhere(), clock, heard);
    assertThatThrownBy(filter::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("items")
        .hasMessageContaining("the store is away");
  }

  @Test
  void aRequestWithoutASourceIsRefused() {
    assertThatThrownBy(() -> filter(null, nowhere()).requestRebuild(RebuildTrigger.REQUEST))
        .isInstanceOfSatisfying(
            RebuildRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NO_SOURCE));
  }

  @Test
  void aRequestWithinTheCooldownIsToldOfTheLastRun() {
    ManagedFilter filter = filter(of("a"), Runnable::run);
    String run = filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThatThrownBy(() -> filter.requestRebuild(RebuildTrigger.REQUEST))
        .hasMessageContaining(run)
        .isInstanceOfSatisfying(
            RebuildRefusedException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(Reason.COOLDOWN);
              assertThat(e.run()).isEqualTo(run);
            });
    assertThat(heard.events).containsExactly("start REQUEST", "end SUCCEEDED");
  }

  @Test
  void aBuildIsCancelledHereOrWhereverItRuns() throws Exception {
    Gate gate = new Gate(List.of("a", "b"));
    ManagedFilter filter = filter(gate, background);
    assertThat(filter.cancelRebuildAnywhere()).as("none runs").isFalse();
    filter.start();
    gate.awaitReading();
    assertThat(filter.cancelRebuildAnywhere()).isTrue();
    gate.open();
    finish();
    assertThat(filter.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);

    List<String> cancelled = new ArrayList<>();
    RebuildStatusStore elsewhere =
        (RebuildStatusStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RebuildStatusStore.class},
                (proxy, method, arguments) -> cancelled.add(method.getName()));
    assertThat(filter(with("rebuildStatus", elsewhere), of("a"), nowhere()).cancelRebuildAnywhere())
        .isTrue();
    assertThat(cancelled).containsExactly("cancel");
  }

  @Test
  void aFilterShowsWhatItIsMadeOf() {
    ManagedFilter filter = filter(of("a"), nowhere());
    assertThat(filter.name()).isEqualTo("items");
    assertThat(filter.settings()).isEqualTo(settings());
    assertThat(filter.store()).isSameAs(store);
    assertThat(filter.status()).isEqualTo(store.status());
    assertThat(filter.arrivals().expected()).isFalse();
    assertThat(store.backend()).isEqualTo("local");
  }

  @Test
  void aRebuildOnScheduleThatIsRefusedIsLogged(CapturedOutput output) {
    filter(null, nowhere()).rebuildOnSchedule();
    assertThat(output).contains("'items' is not rebuilt by schedule").contains("no source");
  }

  @Test
  void maintenanceThatFailsIsTriedAgain(CapturedOutput output) {
    GenerationStore broken =
        (GenerationStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {GenerationStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("isBuildDue")) {
                    throw new IllegalStateException("broken");
                  }
                  return method.invoke(store, arguments);
                });
    filter(broken, of("a"), nowhere()).maintain();
    assertThat(output).contains("Maintenance of filter 'items' failed and is tried again");
  }

  @Test
  void aDoubtThatLastsIsLoggedAndItsEndToo(CapturedOutput output) {
    store.beginBuild(settings().shape()).publish();
    AtomicBoolean away = new AtomicBoolean();
    AtomicInteger reads = new AtomicInteger();
    GenerationStore remote =
        (GenerationStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {GenerationStore.class},
                (proxy, method, arguments) -> {
                  Object answer = method.invoke(store, arguments);
                  if (answer instanceof FilterStatus) {
                    reads.incrementAndGet();
                  }
                  return away.get() && answer instanceof FilterStatus status
                      ? status.in(FilterState.DOUBTFUL)
                      : answer;
                });
    ManagedFilter filter = filter(remote, of("a"), nowhere());
    filter.maintain();
    assertThat(reads).as("a status in Redis is read once").hasValue(1);

    away.set(true);
    filter.maintain();
    away.set(false);
    filter.maintain();
    assertThat(output).doesNotContain("DOUBTFUL").doesNotContain("again");

    away.set(true);
    for (int i = 0; i < 10; i++) {
      filter.maintain();
    }
    assertThat(output.getOut().split("Filter 'items' is DOUBTFUL", -1)).hasSize(2);

    away.set(false);
    filter.maintain();
    filter.maintain();
    assertThat(output.getOut().split("Filter 'items' is READY again", -1)).hasSize(2);
  }

  @Test
  void ofAFilterThatCannotGrowItIsSaidOnce(CapturedOutput output) {
    expectedInsertions = 6_000_000_000L;
    FilterStatus full =
        new FilterStatus(
            FilterState.READY, 1, settings().shape(), 4 * expectedInsertions, 0.9, 0.5, false);
    ManagedFilter filter = filter(with("status", full), of("a"), nowhere());
    for (int i = 0; i < 3; i++) {
      filter.maintain();
    }
    assertThat(heard.events).isEmpty();
    assertThat(output.getOut().split("there is no larger shape", -1)).hasSize(2);
  }

  @Test
  void whereAStoreComesLateTheEmptyGenerationComesWithIt(CapturedOutput output) {
    AtomicBoolean reached = new AtomicBoolean();
    GenerationStore late =
        (GenerationStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {GenerationStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("serveEmpty") && !reached.get()) {
                    throw new StoreUnavailableException("the store is away", null);
                  }
                  return method.invoke(store, arguments);
                });
    sourceRules = ADDED_ONLY;
    ManagedFilter filter = filter(late, null, nowhere());
    filter.start();
    filter.maintain();
    assertThat(filter.status().state()).isEqualTo(FilterState.EMPTY);
    assertThat(output).contains("the store is away");
    reached.set(true);
    clock.pass(Duration.ofSeconds(5));
    filter.maintain();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    store.addAll(List.of("a"));
    filter.maintain();
    assertThat(store.check("a")).as("it comes once").isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aBlockingWarmUpTakesWhatAnotherProcessBuiltMeanwhile() {
    mode = WarmUpMode.BLOCKING;
    GenerationStore shared =
        (GenerationStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {GenerationStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("beginBuild") && store.status().generation() == 0) {
                    filter(of("theirs"), nowhere()).start();
                  }
                  return method.invoke(store, arguments);
                });
    filter(shared, of("ours"), nowhere()).start();
    assertThat(store.checkAll(List.of("theirs", "ours"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(store.status().generation()).isEqualTo(1);
  }

  /** The store with one method that answers otherwise. */
  private GenerationStore with(String name, Object answer) {
    return (GenerationStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {GenerationStore.class},
            (proxy, method, arguments) ->
                method.getName().equals(name) ? answer : method.invoke(store, arguments));
  }

  /** The store as one sees it that cannot reach it yet. */
  private GenerationStore outOfReach(AtomicBoolean reached, Runnable tried) {
    return (GenerationStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {GenerationStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("beginBuild")) {
                tried.run();
                if (!reached.get()) {
                  throw new StoreUnavailableException("the store is away", null);
                }
              }
              return method.invoke(store, arguments);
            });
  }

  @Test
  void anExecutorThatRefusesLeavesNoBuildBehind() {
    ManagedFilter filter = filter(of("a"), nowhere());

    assertThatThrownBy(() -> filter.requestRebuild(RebuildTrigger.SCHEDULE))
        .isInstanceOf(IllegalStateException.class);

    assertThat(filter.progress().running()).isFalse();
    store.beginBuild(settings().shape()).close();
  }

  @Test
  void aListenerThatFailsHarmsNoBuild() {
    ManagedFilter filter =
        TestGenerations.managed(
            settings(),
            store,
            of("a"),
            Runnable::run,
            clock,
            new RebuildListener() {
              @Override
              public void onStart(String run, RebuildTrigger trigger) {
                throw new IllegalStateException("broken listener");
              }

              @Override
              public void onEnd(RebuildReport report) {
                throw new IllegalStateException("broken listener");
              }
            });
    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(filter.progress().running()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = WarmUpMode.class,
      names = {"BACKGROUND", "BLOCKING"})
  void aTrustedSnapshotServesAtOnceAndIsBuiltAnewInTheBackground(
      WarmUpMode how, @TempDir Path directory) throws Exception {
    mode = how;
    LocalGenerations former = snapshotting(directory, true);
    filter(former, of("old"), Runnable::run).start();
    Gate gate = new Gate(List.of("new"));
    LocalGenerations next = snapshotting(directory, true);
    ManagedFilter filter = filter(next, gate, background);

    filter.start();
    gate.awaitReading();

    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(next.checkAll(List.of("old", "new"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    gate.open();
    finish();
    assertThat(next.checkAll(List.of("old", "new"))).containsExactly(ABSENT, POSSIBLY_PRESENT);
    filter.maintain();
    assertThat(heard.events)
        .containsExactly("start WARM_UP", "end SUCCEEDED", "start WARM_UP", "end SUCCEEDED");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSnapshotIsBuiltAnewUntilThatSucceeds(boolean trusted, @TempDir Path directory) {
    LocalGenerations former = snapshotting(directory, trusted);
    filter(former, of("old"), Runnable::run).start();
    LocalGenerations next = snapshotting(directory, trusted);
    AtomicBoolean up = new AtomicBoolean();
    KeySource source =
        sink -> {
          if (!up.get()) {
            throw new IOException("down");
          }
          sink.accept("new");
        };
    ManagedFilter filter = filter(next, source, Runnable::run);

    filter.start();
    filter.maintain();
    assertThat(filter.status().state())
        .isEqualTo(trusted ? FilterState.READY : FilterState.DOUBTFUL);
    assertThat(next.checkAll(List.of("old", "never")))
        .containsExactly(POSSIBLY_PRESENT, trusted ? ABSENT : UNKNOWN);
    up.set(true);
    clock.pass(Duration.ofSeconds(5));
    filter.maintain();

    assertThat(filter.lastRebuild().orElseThrow().trigger()).isEqualTo(RebuildTrigger.RECOVERY);
    assertThat(next.checkAll(List.of("new", "never"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
  }

  @Test
  void withoutWarmUpASnapshotServesUntilABuildIsAskedFor(@TempDir Path directory) {
    mode = WarmUpMode.NONE;
    filter(snapshotting(directory, true), of("old"), Runnable::run)
        .requestRebuild(RebuildTrigger.REQUEST);
    LocalGenerations next = snapshotting(directory, true);
    ManagedFilter filter = filter(next, of("new"), Runnable::run);

    filter.start();
    filter.maintain();
    assertThat(next.checkAll(List.of("old", "new"))).containsExactly(POSSIBLY_PRESENT, ABSENT);

    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(next.check("new")).isEqualTo(POSSIBLY_PRESENT);
  }

  private LocalGenerations snapshotting(Path directory, boolean trusted) {
    FilterShape shape = settings().shape();
    return new LocalGenerations(
        "items",
        next -> MembershipFilters.create(next, HASHER),
        shape,
        Duration.ofMinutes(10),
        TestGenerations.journal("items"),
        1,
        clock::nanos,
        new Snapshot(
            "items",
            directory.resolve("items"),
            new BlockedSnapshot("items", shape, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT),
            Duration.ofHours(24),
            trusted,
            false,
            clock));
  }

  private ManagedFilter filter(GenerationStore to, @Nullable KeySource source, Executor executor) {
    return TestGenerations.managed(settings(), to, source, executor, clock, heard);
  }

  private FilterSettings settings() {
    return TestGenerations.settings(
        "items",
        Layout.BLOCKED,
        expectedInsertions,
        0.001,
        mode,
        COOLDOWN,
        atFill,
        atRepeated,
        new KeyRules(64),
        sourceRules);
  }

  @Test
  void whatWasOnlyOutOfReachIsNotBuiltAgain() {
    store.serveEmpty(settings().shape());
    long generation = store.status().generation();
    AtomicBoolean reached = new AtomicBoolean();
    ManagedFilter filter =
        TestGenerations.managed(
            settings(), reachedByItsFirstBuild(reached), of("a"), Runnable::run, clock, heard);

    filter.start();

    assertThat(reached).isTrue();
    assertThat(store.status().generation()).isEqualTo(generation);
    assertThat(heard.events).isEmpty();
    assertThat(filter.requestRebuild(RebuildTrigger.REQUEST))
        .as("nothing is left over")
        .isNotNull();
  }

  /** The store as one sees it that cannot reach it before it begins to build. */
  private GenerationStore reachedByItsFirstBuild(AtomicBoolean reached) {
    return (GenerationStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {GenerationStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("beginBuild")) {
                reached.set(true);
              }
              if (method.getName().equals("status") && !reached.get()) {
                return store.status().in(FilterState.DOUBTFUL);
              }
              return method.invoke(store, arguments);
            });
  }

  private ManagedFilter filter(@Nullable KeySource source, Executor executor) {
    return TestGenerations.managed(settings(), store, source, executor, clock, heard);
  }

  /** A filter of the key "ours", whose warm-up waits for other processes in some way. */
  private ManagedFilter waiting(ManagedFilter.Pause pause) {
    return new ManagedFilter(
        settings(),
        store,
        of("ours"),
        new BuildThreads(nowhere(), nowhere(), new SourceThreads()),
        clock,
        heard,
        new KeyTypes(),
        pause);
  }

  private static RebuildRefusedException refusal(ManagedFilter filter, RebuildTrigger trigger) {
    RebuildRefusedException refusal =
        catchThrowableOfType(RebuildRefusedException.class, () -> filter.requestRebuild(trigger));
    assertThat(refusal).isNotNull();
    return refusal;
  }

  private static KeySource of(Object... keys) {
    return sink -> List.of(keys).forEach(sink::accept);
  }

  private static KeySource numbers(long count) {
    return sink -> LongStream.range(0, count).forEach(sink::accept);
  }

  /** Yields one key and fails. */
  private static KeySource failing(Exception failure) {
    return sink -> {
      sink.accept("a");
      throw failure;
    };
  }

  private static Executor nowhere() {
    return task -> {
      throw new IllegalStateException("no executor is to be used");
    };
  }

  /** Waits for the end of what runs in the background. */
  private void finish() throws Exception {
    background.submit(() -> {}).get(1, TimeUnit.MINUTES);
  }

  /** A source that waits before its first key. */
  private static final class Gate implements KeySource {

    private final Queue<Object> keys;
    private final CountDownLatch reading = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);
    private volatile int yielded;

    Gate(List<Object> keys) {
      this.keys = new ArrayDeque<>(keys);
    }

    @Override
    public void forEach(KeySink sink) throws Exception {
      reading.countDown();
      opened.await();
      int count = 0;
      for (Object key : keys) {
        sink.accept(key);
        yielded = ++count;
      }
    }

    void awaitReading() throws InterruptedException {
      assertThat(reading.await(1, TimeUnit.MINUTES)).isTrue();
    }

    void open() {
      opened.countDown();
    }
  }

  private static final class Heard implements RebuildListener {

    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void onStart(String run, RebuildTrigger trigger) {
      events.add("start " + trigger);
    }

    @Override
    public void onEnd(RebuildReport report) {
      events.add("end " + report.outcome());
    }
  }
}
