package io.bloomguard.generation.internal.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilters;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that writes snapshots without end is killed, and what it leaves is whole. */
@Tag("thorough")
@Tag("long")
class SnapshotKillTest {

  private static final int KILLS = 5;

  /** Where none of the first has met a write. */
  private static final int MOST_KILLS = 50;

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final FilterShape SHAPE = Sizing.shape(Layout.BLOCKED, 2_000_000, 1e-6);

  @TempDir private Path directory;

  @Test
  void aKilledWriterLeavesAWholeFile() throws Exception {
    Path file = directory.resolve("items");
    SplittableRandom random = new SplittableRandom(42);
    int caughtWriting = 0;
    for (int kill = 0; kill < KILLS || (caughtWriting == 0 && kill < MOST_KILLS); kill++) {
      Process writer = start(file);
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
        for (int write = random.nextInt(1, 5); write > 0; write--) {
          assertThat(out.readLine()).isEqualTo("written");
        }
      } finally {
        writer.destroyForcibly().waitFor();
      }
      caughtWriting += temporaries() > 0 ? 1 : 0;

      Snapshot.Restored restored = snapshot(file).restore();

      assertThat(restored).as("the file after kill %d", kill).isNotNull();
      assertThat(Objects.requireNonNull(restored).bits().mightContain(42)).isTrue();
      assertThat(temporaries()).isZero();
    }
    assertThat(caughtWriting).as("kills in the middle of a write").isPositive();
  }

  private long temporaries() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(path -> path.toString().endsWith(".tmp")).count();
    }
  }

  private static Process start(Path file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Writer.class.getName(),
            file.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static Snapshot snapshot(Path file) {
    return new Snapshot(
        "items",
        file,
        new BlockedSnapshot("items", SHAPE, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT),
        Duration.ofHours(1),
        false,
        false,
        InstantSource.system());
  }

  /** Writes until it is killed, or its reader is gone. */
  static final class Writer {

    private Writer() {}

    public static void main(String[] arguments) {
      Snapshot snapshot = snapshot(Path.of(arguments[0]));
      MembershipFilter filter = MembershipFilters.create(SHAPE, SipHash.oneThree(SECRET));
      filter.add(42);
      while (!System.out.checkError()) {
        snapshot.write(filter, 0, null);
        System.out.println("written");
      }
    }
  }
}
