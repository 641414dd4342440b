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
  private static final Duration PATIENCE = Duration.ofMinutes(12);

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
          PATIENCE,
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

  /** Whose bits are those of other keys. */
  private void passes() {
    bits.addHash(KEY);
    lease(bits);
  }

  private void makeKnown() {
    assertThat(replica.foundNothing(KEY)).isFalse();
    nanos.addAndGet(PATIENCE.toNanos() + 1_000_000_000);
    assertThat(replica.foundNothing(KEY)).as("without a lease").isNull();
    lease(bits);
    assertThat(replica.foundNothing(KEY)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aFalsePositiveIsAbsentOnceItsNullEntriesAreFarApart(Check check) {
    passes();
    assertThat(replica.foundNothing(KEY + 1)).isNull();
    assertThat(replica.foundNothing(KEY)).isFalse();
    assertThat(replica.foundNothing(KEY)).isTrue();
    assertThat(check.of(replica)).isEqualTo(Membership.POSSIBLY_PRESENT);
    nanos.addAndGet(PATIENCE.toNanos() + 1_000_000_000);
    lease(bits);
    assertThat(replica.foundNothing(KEY)).isTrue();
    assertThat(check.of(replica)).isEqualTo(Membership.ABSENT);
    replica.endLease();
    assertThat(check.of(replica)).isEqualTo(Membership.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource
  void anAddTakesItOut(Check check) {
    passes();
    makeKnown();
    replica.add(List.of(KEY));
    assertThat(check.of(replica)).as("own").isEqualTo(Membership.POSSIBLY_PRESENT);
    makeKnown();
    assertThat(check.of(replica)).isEqualTo(Membership.ABSENT);
    replica.add(bits, KEY);
    assertThat(check.of(replica)).as("another's").isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsKnownOfTheBitsEndsWithThem(Check check) {
    passes();
    makeKnown();
    BlockedFilter other = new BlockedFilter(SHAPE, HASHER);
    other.addHash(KEY);
    lease(other);
    assertThat(check.of(replica)).isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  private void lease(BlockedFilter shown) {
    replica.lease(shown, replica.moment());
  }
}
