package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the layouts in blocks promise. */
class MembershipFilterTest extends MembershipFilterContractTest {

  static Stream<FilterShape> inBlocks(long n, double p) {
    return Stream.concat(
        Stream.of(Sizing.shape(Layout.COUNTING, n, p)),
        IntStream.of(1, 2, 4, 8).mapToObj(words -> Sizing.blocked(n, p, words)));
  }

  @Override
  protected Stream<FilterShape> shapes(long n, double p) {
    return inBlocks(n, p);
  }

  @Override
  protected MembershipFilter create(FilterShape shape, KeyHasher hasher) {
    return MembershipFilters.create(shape, hasher, 1);
  }

  /** As many as chance has: the two say nothing of each other. */
  @Test
  void anotherSaltHasOtherFalsePositives() {
    int n = 10_000;
    double p = 0.01;
    inBlocks(n, p)
        .forEach(
            shape -> {
              MembershipFilter before = MembershipFilters.create(shape, HASHER, 0);
              MembershipFilter between = MembershipFilters.create(shape, HASHER, 1);
              MembershipFilter after =
                  MembershipFilters.create(shape, HASHER, BlockGeometry.drawSalt());
              for (long key = 0; key < n; key++) {
                before.add(key);
                between.add(key);
                after.add(key);
              }
              int passed = 0;
              int again = 0;
              int afterAgain = 0;
              for (long key = -1; key >= -1_000_000; key--) {
                if (before.mightContain(key)) {
                  passed++;
                  again += between.mightContain(key) ? 1 : 0;
                  afterAgain += after.mightContain(key) ? 1 : 0;
                }
              }
              assertThat(passed).isGreaterThan(5_000);
              double most = passed * p + 5 * Math.sqrt(passed * p);
              assertThat((double) again).as("%s, salt 1", shape).isLessThan(most);
              assertThat((double) afterAgain).as("%s, drawn", shape).isLessThan(most);
            });
  }

  @Test
  void thePartitionOfAKeySaysNothingOfItsBits() {
    int partitions = 4;
    int n = 100_000;
    double p = 0.01;
    FilterShape shape = Sizing.blocked(n / partitions, p, 8);
    BlockedFilter filter = new BlockedFilter(shape, HASHER);
    SplittableRandom random = new SplittableRandom(42);
    long key = 0;
    for (int added = 0; added < n / partitions; key++) {
      if (BlockGeometry.partition(HASHER.hash(key), partitions) == 1) {
        filter.add(key);
        added++;
      }
    }
    int probes = 0;
    int positives = 0;
    while (probes < 100_000) {
      long stranger = random.nextLong() | Long.MIN_VALUE;
      if (BlockGeometry.partition(HASHER.hash(stranger), partitions) == 1) {
        probes++;
        positives += filter.mightContain(stranger) ? 1 : 0;
      }
    }
    assertThat((double) positives / probes).isLessThan(p + 3 * Math.sqrt(p * (1 - p) / probes));
  }
}
