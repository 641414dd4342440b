package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.internal.ParallelFill;
import java.util.Arrays;

/** Keys whose bits are set in this JVM's heap and sent from there unchanged. */
final class HeapContent implements AutoCloseable {

  private final ImageLoad[] loads;
  private final BlockedFilter[] bits;
  private final ParallelFill fill;

  HeapContent(KeyHasher hasher, ImageLoad[] loads) {
    this.loads = loads;
    this.bits = new BlockedFilter[loads.length];
    Arrays.setAll(bits, i -> new BlockedFilter(loads[i].image().fingerprint().shape(), hasher));
    this.fill =
        new ParallelFill(
            hasher,
            Arrays.stream(bits).map(BlockedFill::new).toList(),
            ParallelFill.defaultHelpers());
  }

  /** Adds {@code keys[0..count)}; the array may be reused at once. Called by one thread. */
  void addAll(String[] keys, int count) {
    fill.addAll(keys, count);
  }

  /** Adds numbers by their decimal form. */
  void addAll(long[] keys, int count) {
    fill.addAll(keys, count);
  }

  /** Waits until every key is added. */
  void finish() {
    fill.finish();
  }

  /** Loads a partition's keys and the adds in its journal into its image. */
  void load(int partition) {
    loads[partition].run(bits[partition]);
  }

  @Override
  public void close() {
    fill.close();
  }
}
