package io.bloomguard.spark;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.image.ImagePlan;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * The hashes of one task's rows, packed by slice: 8 bytes a key and no object for it in the
 * shuffle. Last comes a batch under the number after the last slice: how many keys were read, and
 * how many of these cannot be used.
 */
final class PackedHashes implements Iterator<Tuple2<Integer, byte[]>> {

  /** Of a batch: 4,096 keys. */
  private static final int BYTES = 1 << 15;

  /** Of all batches of a task that are still open, whatever the number of slices. */
  private static final long MOST_BYTES = 256L << 20;

  private static final int FIRST_BYTES = 256;

  private final Iterator<InternalRow> rows;
  private final TableKeys column;
  private final KeyRules rules;
  private final KeyHasher hasher;
  private final ImagePlan.Router router;
  private final @Nullable ByteBuffer[] open;
  private final int most;
  private final Queue<Tuple2<Integer, byte[]>> ready = new ArrayDeque<>();
  private long keys;
  private long unusable;
  private boolean ended;

  PackedHashes(
      Iterator<InternalRow> rows,
      TableKeys column,
      KeyRules rules,
      KeyHasher hasher,
      ImagePlan plan) {
    this.rows = rows;
    this.column = column;
    this.rules = rules;
    this.hasher = hasher;
    this.router = plan.router();
    this.open = new ByteBuffer[plan.slices()];
    this.most = (int) Math.max(FIRST_BYTES, Math.min(BYTES, MOST_BYTES / open.length / 8 * 8));
  }

  @Override
  public boolean hasNext() {
    while (ready.isEmpty() && !ended) {
      if (rows.hasNext()) {
        add(column.key(rows.next()));
      } else {
        end();
      }
    }
    return !ready.isEmpty();
  }

  @Override
  public Tuple2<Integer, byte[]> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return ready.remove();
  }

  private void add(@Nullable String key) {
    keys++;
    if (key == null || !rules.accepts(key)) {
      unusable++;
      return;
    }
    long hash = hasher.hash(key);
    int slice = router.slice(hash);
    ByteBuffer batch = open[slice];
    if (batch == null) {
      batch = ByteBuffer.allocate(FIRST_BYTES);
    } else if (!batch.hasRemaining()) {
      int grown = Math.min(most, batch.capacity() * 4);
      batch = ByteBuffer.allocate(grown).put(batch.flip());
    }
    open[slice] = batch.putLong(hash);
    if (batch.position() == most) {
      ready.add(new Tuple2<>(slice, batch.array()));
      open[slice] = null;
    }
  }

  private void end() {
    ended = true;
    for (int i = 0; i < open.length; i++) {
      ByteBuffer batch = open[i];
      if (batch != null) {
        ready.add(new Tuple2<>(i, Arrays.copyOf(batch.array(), batch.position())));
        open[i] = null;
      }
    }
    byte[] counts = ByteBuffer.allocate(2 * Long.BYTES).putLong(keys).putLong(unusable).array();
    ready.add(new Tuple2<>(open.length, counts));
  }
}
