package io.bloomguard.classic.internal.guava;

import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyFunnel;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.local.LocalJournalBound;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.generation.internal.snapshot.SnapshotForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Guava's layout in the local store. */
@ExtendWith(OutputCaptureExtension.class)
class GuavaGenerationsTest {

  @TempDir private Path directory;
  private final ManualClock clock = new ManualClock();
  private FilterShape configured = Sizing.shape(Layout.GUAVA, 100_000, 1e-9);

  private static MembershipFilter filter(FilterShape shape) {
    return GuavaFilter.create(shape, KeyFolding.EXACT, KeyFunnel.STRING_UTF8);
  }

  private SnapshotForm form() {
    return new GuavaSnapshot(configured, KeyFolding.EXACT, KeyFunnel.STRING_UTF8);
  }

  private Snapshot snapshot(SnapshotForm form) {
    Path file = directory.resolve("items");
    return new Snapshot("items", file, form, Duration.ofHours(24), false, false, clock);
  }

  private LocalGenerations store() {
    return new LocalGenerations(
        "items",
        GuavaGenerationsTest::filter,
        configured,
        Duration.ofMinutes(10),
        TestGenerations.journal("items"),
        1,
        clock::nanos,
        snapshot(form()));
  }

  @Test
  void atTheBoundOfTheJournalAddsAreRefusedAndNoneIsLost() {
    new LocalJournalBound(Sizing.shape(Layout.GUAVA, 10_000, 1e-6), GuavaGenerationsTest::filter, 2)
        .requireNoneLost();
  }

  @Test
  void guavasLayoutExplainsWithoutBits() {
    configured = Sizing.shape(Layout.GUAVA, 1_000, 0.001);
    LocalGenerations store = store();
    store.serveEmpty(configured);
    store.addAll(List.of("a"));

    assertThat(store.explain("a").membership()).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.explain("a").bits()).isEmpty();
  }

  @Test
  void whatWasBuiltIsPossibleInTheNextProcessAndNothingIsDenied() {
    try (GenerationStore.Build build = store().beginBuild(configured)) {
      build.addAll(LongStream.range(0, 100_000).toArray(), 100_000);
      build.publish();
    }

    LocalGenerations next = store();

    assertThat(LongStream.range(0, 100_000)).allMatch(key -> next.check(key) == POSSIBLY_PRESENT);
    assertThat(next.check("never")).isEqualTo(UNKNOWN);
    assertThat(next.check(-1)).isEqualTo(UNKNOWN);
    assertThat(next.checkAll(List.of("7", "never"))).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
    assertThat(next.explain("never").membership()).isEqualTo(UNKNOWN);
    assertThat(next.explain("never").reason()).contains("snapshot");
    assertThat(next.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(next.status().estimatedElements()).isBetween(97_000L, 103_000L);
    assertThat(next.snapshotTime()).isEqualTo(clock.instant());
  }

  @Test
  void aFileOfAnotherLayoutIsRefusedWithWhatDiffers(CapturedOutput output) {
    FilterShape blocked = Sizing.blocked(20, 1e-6, 8);
    SnapshotForm form =
        new BlockedSnapshot(
            "items", blocked, KeyHash.SIPHASH_1_3, HashSecret.random(), KeyFolding.EXACT);
    snapshot(form).write(form.empty(), 0, null);

    LocalGenerations store = store();

    assertThat(store.status().state()).isEqualTo(FilterState.EMPTY);
    assertThat(output).contains("layout is BLOCKED", "expected GUAVA");
  }

  /** A key that is added after its file was lost is found by the same funnel. */
  @Test
  void anOnlyCopyThatIsLostTakesKeysWithItsFunnel() throws IOException {
    Path file = Files.writeString(directory.resolve("items"), "damaged");
    SnapshotForm form = new GuavaSnapshot(configured, KeyFolding.EXACT, KeyFunnel.LONG);
    LocalGenerations store =
        new LocalGenerations(
            "items",
            shape -> GuavaFilter.create(shape, KeyFolding.EXACT, KeyFunnel.LONG),
            configured,
            Duration.ofMinutes(10),
            TestGenerations.journal("items"),
            1,
            clock::nanos,
            new Snapshot("items", file, form, Duration.ofHours(24), true, true, clock));
    store.addAll(List.of("7"));

    assertThat(store.check("7")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("8")).isEqualTo(UNKNOWN);
  }
}
