package io.bloomguard.guard.internal.cache;

import io.bloomguard.filter.TestForm;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.ValueType;
import io.bloomguard.race.Interleavings;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Leases, barriers and null entries of a local value cache look as if they were taken, raised and
 * stored one after the other: so no null outlives a write that came after its load began.
 */
@Tag("thorough")
@Tag("long")
class LocalValueCacheInterleavingTest {

  @Test
  void noNullOutlivesAWriteUnderLoad() {
    Interleavings.underLoad().check(Leases.class);
  }

  @Test
  void noNullOutlivesAWriteInAnyOrder() {
    Interleavings.inAnyOrder()
        .iterations(TestForm.of(2, 20))
        .invocationsPerIteration(200)
        .threads(2)
        .actorsBefore(1)
        .actorsPerThread(2)
        .actorsAfter(1)
        .check(Leases.class);
  }

  /** Two loaders with a lease each, and writers, of one key. */
  @Param(name = "writer", gen = IntGen.class, conf = "1:2")
  public static class Leases {

    private static final String KEY = "key";
    private static final ValueType<String> TYPE = ValueType.of(String.class);

    private final LocalValueCache cache =
        TestSettings.cache(
            TestSettings.cache(
                Duration.ofMinutes(5), Duration.ofMinutes(5), 0, 10, 10, Duration.ofMinutes(5)),
            () -> 0);
    private final Lease[] leases = new Lease[2];

    @Operation(nonParallelGroup = "first loader")
    public boolean firstLease() {
      return lease(0);
    }

    @Operation(nonParallelGroup = "first loader")
    public String firstStoresNull() {
      return storeNull(0);
    }

    @Operation(nonParallelGroup = "second loader")
    public boolean secondLease() {
      return lease(1);
    }

    @Operation(nonParallelGroup = "second loader")
    public String secondStoresNull() {
      return storeNull(1);
    }

    @Operation
    public void beginWrite(@Param(name = "writer") int writer) {
      cache.beginWrite(KEY, "writer" + writer);
    }

    @Operation
    public void endWrite(@Param(name = "writer") int writer) {
      cache.endWrite(KEY, "writer" + writer);
    }

    @Operation
    public boolean nullHit() {
      return cache.lookup(KEY, TYPE).equals(CacheLookup.nullHit());
    }

    private boolean lease(int loader) {
      Lease lease = cache.tryLease(KEY);
      if (lease != null) {
        leases[loader] = lease;
      }
      return lease != null;
    }

    private String storeNull(int loader) {
      Lease lease = leases[loader];
      return lease == null ? "no lease" : cache.store(lease, null).name();
    }
  }
}
