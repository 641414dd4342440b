package io.bloomguard.filter;

import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.race.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Additions, removals and checks of one key look as if they came one after the other. */
@Tag("thorough")
@Tag("long")
class CountingFilterInterleavingTest {

  @Test
  void oneDecisionAKeyUnderLoad() {
    Interleavings.underLoad()
        .iterations(TestForm.of(2, 10))
        .invocationsPerIteration(200)
        .sequentialSpecification(Counts.class)
        .check(Keys.class);
  }

  /** Few keys, so that they meet; one block, so that they share words. */
  @Param(name = "key", gen = IntGen.class, conf = "1:2")
  public static class Keys {

    private final BlockedFilter filter =
        new BlockedFilter(
            Sizing.shape(Layout.COUNTING, 10, 1e-9, 8),
            SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f")));

    @Operation
    public boolean add(@Param(name = "key") int key) {
      return filter.add(key);
    }

    @Operation
    public boolean remove(@Param(name = "key") int key) {
      return filter.remove(Integer.toString(key));
    }
  }

  /** How often each key is in. */
  public static class Counts {

    private final int[] counts = new int[3];

    public boolean add(int key) {
      return counts[key]++ == 0;
    }

    public boolean remove(int key) {
      return counts[key] > 0 && counts[key]-- > 0;
    }
  }
}
