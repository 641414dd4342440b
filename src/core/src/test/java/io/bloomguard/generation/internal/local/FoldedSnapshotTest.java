package io.bloomguard.generation.internal.local;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What a snapshot says of how keys were folded when it was written. */
@ExtendWith(OutputCaptureExtension.class)
class FoldedSnapshotTest {

  private static final Instant WRITTEN = Instant.parse("2026-01-01T00:00:00Z");
  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final KeyFolding LOWER = KeyFolding.parse("lower.trailing.nfc");

  @TempDir private Path directory;

  private LocalGenerations store(Layout layout, KeyFolding folding) {
    FilterShape shape = Sizing.shape(layout, 30, 0.001);
    KeyHasher hasher = folding.over(KeyHash.SIPHASH_1_3.hasher(SECRET));
    InstantSource clock = () -> WRITTEN.plusSeconds(60);
    return new LocalGenerations(
        "users",
        next -> MembershipFilters.create(next, hasher, BlockGeometry.drawSalt()),
        shape,
        Duration.ofMinutes(1),
        TestGenerations.journal("users"),
        0,
        System::nanoTime,
        new Snapshot(
            "users",
            file(),
            new BlockedSnapshot("users", shape, KeyHash.SIPHASH_1_3, SECRET, folding),
            Duration.ofDays(1),
            true,
            false,
            clock));
  }

  private Path file() {
    return directory.resolve("users.snapshot");
  }

  @ParameterizedTest
  @EnumSource(names = "BLOCKED")
  void isRefusedWithTheReasonWhereKeysAreFoldedOtherwise(Layout layout, CapturedOutput output) {
    try (GenerationStore.Build build =
        store(layout, LOWER).beginBuild(Sizing.shape(layout, 30, 0.001))) {
      build.addAll(new String[] {"Admin"}, 1);
      build.publish();
    }
    LocalGenerations same = store(layout, LOWER);
    assertThat(same.check("ADMIN ")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(same.check("nobody")).isEqualTo(ABSENT);

    assertThat(store(layout, KeyFolding.EXACT).check("Admin")).isEqualTo(UNKNOWN);
    assertThat(output).contains("keys is lower.trailing.nfc, expected (none)");
  }
}
