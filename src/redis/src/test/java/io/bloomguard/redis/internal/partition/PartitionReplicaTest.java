package io.bloomguard.redis.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A check whose thread stops between the bits and the clocks, while something else happens. */
class PartitionReplicaTest {

  private static final FilterShape SHAPE = Sizing.shape(Layout.BLOCKED, 1_000, 1e-9);
  private static final KeyHasher HASHER =
      KeyHash.SIPHASH_1_3.hasher(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));
  private static final long KEY = HASHER.hash("key");

  /** The ways to check the key. */
  private enum Check {
    ALONE {
      @Override
      Membership of(PartitionReplica replica) {
        return replica.check(KEY);
      }
    },
    IN_A_BATCH {
      @Override
      Membership of(PartitionReplica replica) {
        Membership[] answers = new Membership[2];
        boolean known = replica.checkAll(new long[] {1, KEY}, new int[] {1, 0}, answers);
        return known ? answers[0] : Membership.UNKNOWN;
      }
    };

    abstract Membership of(PartitionReplica replica);
  }

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
  private final PartitionReplica replica =
      new PartitionReplica(
          new ReplicaSettings(1 << 20, Duration.ofSeconds(1)),
          new Clocks(
              () -> {
                meanwhile.getAndSet(() -> {}).run();
                return nanos.get();
              },
              () -> nanos.get() / 1_000_000));
  private final BlockedFilter bits = new BlockedFilter(SHAPE, HASHER);

  @ParameterizedTest
  @EnumSource
  void answersWhatItReadUnderALeaseThatIsRenewed(Check check) {
    lease(bits);
    meanwhile.set(() -> lease(bits));
    assertThat(check.of(replica)).isEqualTo(Membership.ABSENT);
  }

  /** In the gap a writer did not wait for this copy. */
  @ParameterizedTest
  @EnumSource
  void answersNothingAfterAGapBetweenTwoLeases(Check check) {
    lease(bits);
    meanwhile.set(
        () -> {
          replica.endLease();
          bits.addHash(KEY);
          lease(bits);
        });
    assertThat(check.of(replica)).isEqualTo(Membership.UNKNOWN);
    assertThat(check.of(replica)).isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  @ParameterizedTest
  @EnumSource
  void answersNothingFromBitsThatWereGivenUp(Check check) {
    BlockedFilter other = new BlockedFilter(SHAPE, HASHER);
    other.addHash(KEY);
    lease(bits);
    meanwhile.set(
        () -> {
          replica.drop();
          lease(other);
        });
    assertThat(check.of(replica)).isEqualTo(Membership.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource
  void doesNotBelieveALeaseForLongerBecauseItWasRenewed(Check check) {
    lease(bits);
    meanwhile.set(
        () -> {
          nanos.addAndGet(Duration.ofSeconds(1).toNanos());
          bits.addHash(KEY);
          lease(bits);
        });
    assertThat(check.of(replica)).isEqualTo(Membership.UNKNOWN);
  }

  @Test
  void hasItsOwnProcessAddsInTheBitsShownAndLoaded() {
    BlockedFilter loading = new BlockedFilter(SHAPE, HASHER);
    lease(bits);
    replica.load(loading);
    replica.add(List.of(KEY));
    assertThat(bits.mightContainHash(KEY)).isTrue();
    assertThat(loading.mightContainHash(KEY)).isTrue();
  }

  private void lease(BlockedFilter shown) {
    replica.lease(shown, replica.moment());
  }
}
