package io.bloomguard.generation.internal.build;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.ChangeReceiver;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.feed.FeedSettings;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.generation.internal.local.LocalFeedRecord;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.source.ChangesSince;
import io.bloomguard.generation.internal.source.ImageSource;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.TestImages;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A local filter whose keys come from image sets. */
@ExtendWith(OutputCaptureExtension.class)
class ImageSourceTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final HashSecret OTHER = HashSecret.parse("ff0102030405060708090a0b0c0d0e0f");
  private static final Duration RETENTION = Duration.ofMinutes(10);
  private static final List<String> KEYS = keys(0, 1_000);

  @TempDir Path folder;

  private final Instant started = Instant.now();
  private final ManualClock clock = new ManualClock();
  private final FilterSettings settings =
      TestGenerations.settings(
          "urls",
          Layout.BLOCKED,
          1_000,
          1e-9,
          WarmUpMode.BACKGROUND,
          Duration.ZERO,
          0.5,
          new KeyRules(64));
  private final LocalGenerations store =
      TestGenerations.local(
          "urls",
          shape ->
              MembershipFilters.create(
                  shape, KeyHash.SIPHASH_1_3.hasher(SECRET), BlockGeometry.drawSalt()),
          settings.shape(),
          RETENTION,
          1,
          clock::nanos);
  private @Nullable KeySource rows;
  private @Nullable ChangesSince changes;
  private @Nullable FilterFeed feed;
  private final AtomicLong ticks = new AtomicLong();
  private volatile boolean hangs;
  private ManagedFilter filter = filter();

  @Test
  void aSetServesWithTheAddsSinceItsData() throws IOException {
    reachBack();
    store.addAll(List.of("added"));
    set(ago(1), KEYS);
    filter.start();

    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(filter.warnings()).isEmpty();
    RebuildReport report = filter.lastRebuild().orElseThrow();
    assertThat(report.keys()).isEqualTo(KEYS.size());
  }

  @Test
  void aNewerSetReplacesItAndNoOther() throws IOException {
    reachBack();
    set(ago(3), KEYS);
    filter.start();
    poll();
    assertThat(store.status().generation()).isEqualTo(1);

    set(ago(2), keys(500, 1_500));
    poll();
    assertThat(store.status().generation()).isEqualTo(2);
    assertThat(filter.lastRebuild().orElseThrow().trigger()).isEqualTo(RebuildTrigger.SCHEDULE);
    assertThat(store.checkAll(keys(500, 1_500))).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.check("1")).isEqualTo(ABSENT);

    set(ago(3), KEYS);
    poll();
    assertThat(store.status().generation()).isEqualTo(2);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(filter.lastRebuild().orElseThrow().failure()).contains("was published");
    filter.requestRebuild(RebuildTrigger.REQUEST, true);
    assertThat(store.check("1")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** Another process may have added keys before this one began. */
  @Test
  void aSetFromBeforeTheJournalDeniesNothingUntilANewerOneComes(CapturedOutput log)
      throws IOException {
    set(ago(1), KEYS);
    filter.start();
    assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(store.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(UNKNOWN);
    poll();
    poll();
    assertThat(store.status().generation()).isEqualTo(1);
    assertThat(filter.warnings()).singleElement().asString().contains("the journal lacks adds");
    assertThat(log).containsOnlyOnce("the journal lacks adds");

    reachBack();
    set(ago(0), KEYS);
    poll();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(filter.warnings()).isEmpty();
  }

  @Test
  void rowsReadSinceTheDataStandInForTheJournal() throws IOException {
    Instant[] since = {Instant.MAX};
    rows =
        new KeySource() {
          @Override
          public void forEach(KeySink sink) {
            throw new IllegalStateException();
          }

          @Override
          public boolean knowsRecent() {
            return true;
          }

          @Override
          public void forEachRecent(Instant from, KeySink sink) {
            since[0] = from;
            sink.accept("recent");
          }
        };
    filter = filter();
    Instant asOf = ago(60);
    set(asOf, KEYS);
    filter.start();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.check("recent")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(since[0]).isEqualTo(asOf.minus(RETENTION).minus(Duration.ofMinutes(1)));
  }

  /** Neither the set nor the feed has the changes between them. */
  @Test
  void aSetFromBeforeTheFeedBeganLeavesItInDoubt() throws IOException {
    followed();
    reachBack();
    set(ago(1), KEYS);
    filter.start();
    poll();
    poll();
    assertThat(store.status().generation()).isEqualTo(1);
    assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(filter.warnings()).singleElement().asString().contains("began without a position");
  }

  /** The filter's own feed has begun later, and goes on meanwhile. */
  @Test
  void theFeedGoesBackToThePositionOfASet() throws IOException {
    List<String> asked = goingBack(false);
    followed();
    TestImages.write(
        plan(1_000, SECRET), SECRET, ago(60), "there", KEYS, new ImageDirectory(folder));
    filter.start();
    poll();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.check("since")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("changed")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(filter.warnings()).isEmpty();
    assertThat(asked).containsExactly("there", "there");
  }

  @Test
  void aSetWhosePositionIsGoneDeniesNothing(CapturedOutput log) throws IOException {
    goingBack(true);
    followed();
    TestImages.write(
        plan(1_000, SECRET), SECRET, ago(60), "there", KEYS, new ImageDirectory(folder));
    filter.start();
    poll();
    poll();
    assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(store.check("never")).isEqualTo(UNKNOWN);
    assertThat(store.status().generation()).isEqualTo(1);
    assertThat(filter.warnings())
        .anySatisfy(
            warning ->
                assertThat(warning)
                    .contains("the journal lacks adds", "its log is another one", "raise"));
    assertThat(log).containsOnlyOnce("its log is another one");
  }

  /** What the position does not have, the journal may. */
  @Test
  void aJournalThatReachesBackNeedsNoPosition() throws IOException {
    goingBack(true);
    filter = filter();
    reachBack();
    store.addAll(List.of("added"));
    TestImages.write(
        plan(1_000, SECRET), SECRET, ago(1), "there", KEYS, new ImageDirectory(folder));
    filter.start();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** A feed that does not answer now may do so later. */
  @Test
  void aLogThatIsOutOfReachIsReadLater() throws IOException {
    changes =
        new ChangesSince(
            () -> feed(receiver -> receiver.failed("the broker is away")),
            Duration.ZERO,
            Duration.ofMinutes(1));
    filter = filter();
    TestImages.write(
        plan(1_000, SECRET), SECRET, ago(60), "there", KEYS, new ImageDirectory(folder));
    filter.start();
    assertThat(filter.lastRebuild().orElseThrow().failure()).contains("the broker is away");
    assertThat(store.status().generation()).isZero();
    goingBack(false);
    filter = filter();
    filter.start();
    assertThat(store.check("never")).isEqualTo(ABSENT);
  }

  @Test
  void aFeedThatTellsNothingIsNotWaitedForWithoutAnEnd() throws IOException {
    AtomicReference<ChangeReceiver> silent = new AtomicReference<>();
    changes = new ChangesSince(() -> feed(silent::set), Duration.ZERO, Duration.ofMillis(1));
    filter = filter();
    TestImages.write(
        plan(1_000, SECRET), SECRET, ago(60), "there", KEYS, new ImageDirectory(folder));
    filter.start();
    assertThat(filter.lastRebuild().orElseThrow().failure()).contains("told nothing for PT0.001S");
    assertThat(silent.get().begin().position()).isEqualTo("there");
  }

  private List<String> goingBack(boolean gone) {
    List<String> asked = new ArrayList<>();
    changes =
        new ChangesSince(
            () ->
                feed(
                    receiver -> {
                      ChangeReceiver.Reading reading = receiver.begin();
                      asked.add(String.valueOf(reading.position()));
                      if (gone) {
                        reading.beginAt("elsewhere");
                      }
                      reading.apply(
                          List.of(
                              Change.inserted("since"),
                              Change.updated("1", "changed"),
                              Change.deleted("2")),
                          "later");
                      // Of a moment from before the reading began, which says nothing.
                      reading.complete(Duration.ofHours(1));
                      reading.apply(List.of(), "end");
                      reading.complete(Duration.ZERO);
                    }),
            Duration.ZERO,
            Duration.ofMinutes(1));
    return asked;
  }

  private static ChangeFeed feed(Consumer<ChangeReceiver> reading) {
    return new ChangeFeed() {
      @Override
      public void start(ChangeReceiver receiver) {
        try {
          reading.accept(receiver);
        } catch (CancellationException e) {
          // It is closed next.
        }
      }

      @Override
      public void close() {}
    };
  }

  /** A feed that has begun just now, and knows nothing of before. */
  private void followed() {
    LocalFeedRecord record = new LocalFeedRecord(System::nanoTime);
    Duration maxLag = Duration.ofHours(1);
    FeedSettings ofFeed =
        new FeedSettings("urls", maxLag, true, settings.keyRules(), Duration.ZERO);
    feed = new FilterFeed(ofFeed, record, false);
    filter = filter();
    long reader = record.claim().reader();
    record.begin(reader, "here");
    record.advance(reader, null, Duration.ZERO);
  }

  @Test
  void setsOfOthersAreRefused(CapturedOutput log) throws IOException {
    reachBack();
    write(plan(1_000, OTHER), OTHER, ago(1), KEYS);
    filter.start();
    assertRefused(log, "hash secret");
    write(plan(2_000, SECRET), SECRET, ago(1), KEYS);
    assertRefused(log, "fingerprint differs");
    set(ago(1), KEYS);
    Path manifest = folder.resolve(TestImages.MANIFEST);
    Files.writeString(manifest, Files.readString(manifest, UTF_8).replace("1000", "1001"), UTF_8);
    assertRefused(log, "altered or cut short");

    set(ago(1), KEYS);
    poll();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
  }

  @Test
  void theGenerationBeforeIsKeptUnlessToldOtherwise() throws IOException {
    reachBack();
    set(ago(3), KEYS);
    filter.start();
    set(ago(2), KEYS);
    poll();
    assertThat(filter.status().hasPrevious()).isTrue();
    store.keepingPrevious(false);
    set(ago(1), KEYS);
    poll();
    assertThat(filter.status().hasPrevious()).isFalse();
    assertThat(filter.rollback()).isFalse();
  }

  @Test
  void aSetWithTooFewKeysIsRefused() throws IOException {
    reachBack();
    set(ago(2), KEYS);
    filter.start();
    set(ago(1), keys(0, 10));
    poll();
    assertThat(filter.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.FAILED);
    assertThat(store.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    assertThat(filter.warnings()).singleElement().asString().contains("max-shrink");
    filter.requestRebuild(RebuildTrigger.REQUEST, true);
    assertThat(store.check("999")).isEqualTo(ABSENT);
    assertThat(filter.warnings()).isEmpty();
  }

  @Test
  void aDamagedSetIsRefusedUntilAnotherTakesItsPlace() throws IOException {
    reachBack();
    set(ago(3), KEYS);
    filter.start();
    ImageSet damaged = set(ago(2), keys(0, 2_000));
    Files.delete(folder.resolve(damaged.slices().get(1).file()));
    poll();
    poll();
    assertThat(store.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    assertThat(filter.warnings()).singleElement().asString().contains("is missing");
    set(ago(1), keys(0, 900));
    poll();
    assertThat(store.check("999")).isEqualTo(ABSENT);
  }

  @Test
  void anAgedSetIsWarnedOf() throws IOException {
    reachBack();
    set(ago(5), KEYS);
    filter.start();
    assertThat(filter.warnings()).isEmpty();
    clock.pass(Duration.ofHours(27));
    assertThat(filter.warnings()).singleElement().asString().contains("max-age");
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
  }

  @Test
  void aMissingManifestIsLookedForAgain() throws IOException {
    reachBack();
    filter.start();
    assertThat(filter.status().state()).isEqualTo(FilterState.FAILED);
    poll();
    assertThat(filter.warnings()).anyMatch(warning -> warning.contains("There is no manifest"));
    set(ago(1), KEYS);
    poll();
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(filter.warnings()).isEmpty();
  }

  /** As with a store that takes a connection and says nothing. */
  @Test
  void aManifestThatNeverComesIsNotWaitedForWithoutAnEnd() throws IOException {
    reachBack();
    set(ago(2), KEYS);
    filter.start();
    hangs = true;
    poll();
    assertThat(filter.warnings()).singleElement().asString().contains("took longer than PT30S");
    assertThat(store.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    hangs = false;
    set(ago(1), keys(0, 900));
    poll();
    assertThat(store.check("999")).isEqualTo(ABSENT);
    assertThat(filter.warnings()).isEmpty();
  }

  private void assertRefused(CapturedOutput log, String why) {
    poll();
    assertThat(store.check("1")).isEqualTo(UNKNOWN);
    assertThat(filter.warnings()).anyMatch(warning -> warning.contains(why));
    assertThat(log).contains(why);
  }

  /** Past the time of a poll and the longest wait after a failure. */
  private void poll() {
    clock.pass(Duration.ofMinutes(6));
    filter.maintain();
    filter.maintain();
  }

  private void reachBack() {
    clock.pass(Duration.ofHours(1));
  }

  private static Instant ago(int minutes) {
    return Instant.now().minus(Duration.ofMinutes(minutes)).truncatedTo(ChronoUnit.MILLIS);
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(Integer::toString).toList();
  }

  private ImageSet set(Instant asOf, List<String> keys) throws IOException {
    return write(plan(1_000, SECRET), SECRET, asOf, keys);
  }

  private ImageSet write(ImagePlan plan, HashSecret secret, Instant asOf, List<String> keys)
      throws IOException {
    return TestImages.write(plan, secret, asOf, keys, new ImageDirectory(folder));
  }

  private ImagePlan plan(long keys, HashSecret secret) {
    return ImagePlan.of(
        "urls",
        FilterPlan.split(settings.shape(keys), 1),
        KeyHash.SIPHASH_1_3,
        secret,
        KeyFolding.EXACT,
        1024);
  }

  private ManagedFilter filter() {
    ImageSource source =
        new ImageSource(
            new ImageSource.Settings(
                "urls",
                settings.shape(),
                KeyHash.SIPHASH_1_3,
                SECRET,
                KeyFolding.EXACT,
                TestImages.MANIFEST,
                Duration.ofMinutes(5),
                Duration.ofHours(26),
                RETENTION),
            this::open,
            rows,
            changes,
            () -> started.plus(Duration.between(Instant.EPOCH, clock.instant())));
    return new ManagedFilter(
        settings,
        store,
        source,
        feed,
        new BuildThreads(Runnable::run, Runnable::run, new SourceThreads(this::nanos)),
        clock,
        RebuildListener.NONE,
        new KeyTypes(),
        ManagedFilter.Pause.SLEEP);
  }

  private InputStream open(String name) throws IOException {
    while (hangs) {
      LockSupport.park();
      if (Thread.interrupted()) {
        throw new IOException("interrupted");
      }
    }
    return new ImageDirectory(folder).open(name);
  }

  /** Half a minute passes at each look while the store is silent. */
  private long nanos() {
    return hangs ? ticks.addAndGet(TimeUnit.SECONDS.toNanos(31)) : ticks.get();
  }
}
