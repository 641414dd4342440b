package io.bloomguard.filter.internal;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.race.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Adds and checks of a blocked filter look as if they came one after the other. */
@Tag("thorough")
@Tag("long")
class BlockedFilterInterleavingTest {

  /** Also: of those that add a key at once exactly one changes it. */
  @Test
  void noAddIsLostUnderLoad() {
    Interleavings.underLoad().check(Keys.class);
  }

  /** Few keys, so that they meet; one block, so that they share words. */
  @Param(name = "hash", gen = IntGen.class, conf = "1:4")
  public static class Keys {

    private final BlockedFilter filter =
        new BlockedFilter(
            Sizing.blocked(10, 0.001, 8),
            SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f")));

    @Operation
    public boolean add(@Param(name = "hash") int hash) {
      return filter.addHash(spread(hash));
    }

    @Operation
    public boolean mightContain(@Param(name = "hash") int hash) {
      return filter.bits().test(spread(hash));
    }

    private static long spread(int hash) {
      return hash * 0x9E3779B97F4A7C15L;
    }
  }
}
