package io.bloomguard.generation.internal.local;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.Membership;
import io.bloomguard.race.Interleavings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An add that has returned is never denied, whatever is published or rolled back meanwhile. */
@Tag("thorough")
@Tag("long")
class LocalGenerationsInterleavingTest {

  @Test
  void noAddIsDeniedUnderLoad() {
    Interleavings.underLoad().sequentialSpecification(NothingDenied.class).check(Swaps.class);
  }

  @Param(name = "key", gen = IntGen.class, conf = "1:3")
  public static class Swaps {

    /** So full with the keys of each build that every other key passes, too. */
    private static final FilterShape SHAPE = Sizing.blocked(10, 0.1, 1);

    private static final long[] KEYS = LongStream.range(100, 1_100).toArray();
    private static final KeyHasher HASHER =
        SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

    private final LocalGenerations generations =
        TestGenerations.local(
            "swaps",
            shape -> new BlockedFilter(shape, HASHER, BlockGeometry.drawSalt()),
            SHAPE,
            Duration.ofMinutes(10),
            0,
            () -> 0);

    private final Set<Integer> added = ConcurrentHashMap.newKeySet();

    public Swaps() {
      rebuild();
    }

    /** True if the key just added is not denied. */
    @Operation
    public boolean addAndCheck(@Param(name = "key") int key) {
      String text = Integer.toString(key);
      generations.addAll(List.of(text));
      added.add(key);
      return generations.check(text) == Membership.POSSIBLY_PRESENT;
    }

    /** False: an add that has returned is not denied by a later check. */
    @Operation
    public boolean deniesAdded(@Param(name = "key") int key) {
      boolean isAdded = added.contains(key);
      return isAdded && generations.check(Integer.toString(key)) == Membership.ABSENT;
    }

    /** Twice: then the key is known to be absent, unless it was added. */
    @Operation
    public void findNothing(@Param(name = "key") int key) {
      String text = Integer.toString(key);
      generations.foundNothing(text);
      generations.foundNothing(text);
    }

    @Operation
    public void rebuild() {
      try (GenerationStore.Build build = generations.beginBuild(SHAPE)) {
        build.addAll(KEYS, KEYS.length);
        build.publish();
      } catch (BuildRunningException e) {
        // One at a time.
      }
    }

    @Operation
    public void rollback() {
      generations.rollback();
    }
  }

  /** What a caller may see of it. */
  public static class NothingDenied {

    public boolean addAndCheck(int key) {
      return true;
    }

    public boolean deniesAdded(int key) {
      return false;
    }

    public void findNothing(int key) {}

    public void rebuild() {}

    public void rollback() {}
  }
}
