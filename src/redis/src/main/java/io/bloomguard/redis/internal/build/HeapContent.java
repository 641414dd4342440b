package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.internal.ParallelFill;
import java.util.List;
import java.util.stream.Stream;

/** Keys that are read into this JVM's heap, and sent to Redis once all are there. */
final class HeapContent implements BuildContent {

  /** The keys of all partitions so far, by their index. */
  private final List<BlockedFilter> bits;

  private final ParallelFill fill;

  HeapContent(RedisBuild.Order order, long salt) {
    KeyHasher hasher = order.hasher();
    this.bits =
        Stream.generate(() -> new BlockedFilter(order.shape(), hasher, salt))
            .limit(order.partitions().length)
            .toList();
    List<BlockedFill> fills = bits.stream().map(BlockedFill::new).toList();
    this.fill = new ParallelFill(hasher, fills, ParallelFill.defaultHelpers());
  }

  @Override
  public void addAll(String[] keys, int count) {
    fill.addAll(keys, count);
  }

  @Override
  public void addAll(long[] keys, int count) {
    fill.addAll(keys, count);
  }

  @Override
  public void finish() {
    fill.finish();
  }

  @Override
  public void complete(ImageLoad part) {
    part.run(bits.get(part.index()));
  }

  @Override
  public void close() {
    fill.close();
  }
}
