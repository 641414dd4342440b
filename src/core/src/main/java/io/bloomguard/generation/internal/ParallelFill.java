package io.bloomguard.generation.internal;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFill;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a build on their way into its partitions: one thread reads them, helpers hash them.
 *
 * <p>While the helpers are behind, the reading thread hashes as well; without helpers it hashes all
 * keys. At most a few batches wait at any time.
 */
public final class ParallelFill implements AutoCloseable {

  private static final int WAITING_BATCHES = 4;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final KeyHasher hasher;
  private final List<BlockedFill> partitions;
  // Sets of lanes, one lane for each partition, that no thread is using. A lane takes half of its
  // partition's size, up to 16 MiB, so one is made only when a thread needs it.
  private final ConcurrentLinkedQueue<BlockedFill.Lane[]> lanes = new ConcurrentLinkedQueue<>();
  private final @Nullable ThreadPoolExecutor helpers;
  private volatile @Nullable Throwable failure;

  /**
   * A fill of the partitions of one filter.
   *
   * @param hasher the hash of all partitions
   * @param partitions one fill for each partition, by its index
   * @param helpers the number of threads besides the one that reads, 0 or more
   */
  public ParallelFill(KeyHasher hasher, List<BlockedFill> partitions, int helpers) {
    this.hasher = hasher;
    this.partitions = List.copyOf(partitions);
    this.helpers = helpers == 0 ? null : pool(helpers);
  }

  /**
   * {@return the default number of a build's helpers: one less than there are cores, and at most 3}
   */
  public static int defaultHelpers() {
    return Math.min(3, Runtime.getRuntime().availableProcessors() - 1);
  }

  private static ThreadPoolExecutor pool(int threads) {
    return new ThreadPoolExecutor(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(WAITING_BATCHES),
        task -> {
          Thread thread = new Thread(task, "bloomguard-fill-" + NUMBER.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        },
        new ThreadPoolExecutor.CallerRunsPolicy());
  }

  /**
   * Takes {@code keys[0..count)}; the caller may reuse the array at once. Called by one thread.
   *
   * @param keys canonical keys
   * @param count the number of keys to take, 0 or more
   */
  public void addAll(String[] keys, int count) {
    String[] own = helpers == null ? keys : Arrays.copyOf(keys, count);
    addAll(count, i -> hasher.hash(own[i]));
  }

  /**
   * Takes numbers in their decimal form.
   *
   * @param keys numbers
   * @param count the number of keys to take, 0 or more
   */
  public void addAll(long[] keys, int count) {
    long[] own = helpers == null ? keys : Arrays.copyOf(keys, count);
    addAll(count, i -> hasher.hash(own[i]));
  }

  private void addAll(int count, IntToLongFunction hashes) {
    requireNoFailure();
    if (helpers == null) {
      gather(count, hashes);
    } else {
      helpers.execute(() -> gather(count, hashes));
    }
  }

  /**
   * Waits until the bits of every key are set, and ends the fill of each partition.
   *
   * @throws CancellationException if the thread was interrupted meanwhile
   * @throws IllegalStateException if the few remaining batches take a minute
   */
  public void finish() {
    if (helpers != null) {
      helpers.shutdown();
      try {
        if (!helpers.awaitTermination(1, TimeUnit.MINUTES)) {
          throw new IllegalStateException("The last keys of the build were not set in a minute");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CancellationException("The build was cancelled");
      }
    }
    requireNoFailure();
    for (BlockedFill.Lane[] set; (set = lanes.poll()) != null; ) {
      for (BlockedFill.Lane lane : set) {
        lane.flush();
      }
    }
    partitions.forEach(BlockedFill::finish);
  }

  private void requireNoFailure() {
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("Keys of the build could not be hashed", cause);
    }
  }

  /** Stops the helpers; their keys are lost unless {@link #finish} was called before. */
  @Override
  public void close() {
    if (helpers != null) {
      helpers.shutdownNow();
    }
  }

  /** Hashes keys into lanes that no other thread uses meanwhile. Never throws. */
  private void gather(int count, IntToLongFunction hashes) {
    BlockedFill.Lane[] mine = lanes.poll();
    try {
      if (mine == null) {
        mine = partitions.stream().map(BlockedFill::lane).toArray(BlockedFill.Lane[]::new);
      }
      for (int i = 0; i < count; i++) {
        long hash = hashes.applyAsLong(i);
        int partition = mine.length == 1 ? 0 : BlockGeometry.partition(hash, mine.length);
        mine[partition].addHash(hash);
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    } finally {
      if (mine != null) {
        lanes.add(mine);
      }
    }
  }
}
