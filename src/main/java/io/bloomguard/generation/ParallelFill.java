package io.bloomguard.generation;

import io.bloomguard.filter.BlockGeometry;
import io.bloomguard.filter.BlockedFill;
import io.bloomguard.filter.KeyHasher;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a build on their way into its partitions: one thread reads them, helpers hash them.
 *
 * <p>While the helpers are behind, the reading thread hashes as well; without helpers it does all.
 * Not more than a few batches wait at any time.
 */
public final class ParallelFill implements AutoCloseable {

  private static final int WAITING_BATCHES = 4;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final KeyHasher hasher;
  private final List<BlockedFill> partitions;
  // Sets of lanes, one a partition, that no thread is using. A lane takes half of its partition's
  // size, up to 16 MiB, so one is made only when a thread needs it.
  private final ConcurrentLinkedQueue<BlockedFill.Lane[]> lanes = new ConcurrentLinkedQueue<>();
  private final @Nullable ThreadPoolExecutor helpers;
  private volatile @Nullable Throwable failure;

  /**
   * A fill of the partitions of one filter.
   *
   * @param hasher the hash of all partitions
   * @param partitions one fill a partition, by its index
   * @param helpers threads besides the one that reads, 0 or more
   */
  public ParallelFill(KeyHasher hasher, List<BlockedFill> partitions, int helpers) {
    this.hasher = hasher;
    this.partitions = List.copyOf(partitions);
    this.helpers = helpers == 0 ? null : pool(helpers);
  }

  /** How many helpers a build has where nothing else is said: a core each, and not more than 3. */
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

  /** Takes {@code keys[0..count)}; the array may be used again at once. Called by one thread. */
  public void addAll(String[] keys, int count) {
    requireNoFailure();
    if (helpers == null) {
      add(keys, count);
    } else {
      String[] own = Arrays.copyOf(keys, count);
      helpers.execute(() -> add(own, count));
    }
  }

  /** The same for numbers in their decimal form. */
  public void addAll(long[] keys, int count) {
    requireNoFailure();
    if (helpers == null) {
      add(keys, count);
    } else {
      long[] own = Arrays.copyOf(keys, count);
      helpers.execute(() -> add(own, count));
    }
  }

  /**
   * Waits until every key is set, and ends the fill of each partition.
   *
   * @throws CancellationException if the thread was interrupted meanwhile
   */
  public void finish() {
    if (helpers != null) {
      helpers.shutdown();
      try {
        while (!helpers.awaitTermination(1, TimeUnit.MINUTES)) {
          // As long as it takes: what is left are a few batches.
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

  /** Stops the helpers; what they had is lost unless {@link #finish} came before. */
  @Override
  public void close() {
    if (helpers != null) {
      helpers.shutdownNow();
    }
  }

  private void add(String[] keys, int count) {
    withLanes(
        lane -> {
          if (lane.length == 1) {
            lane[0].addAll(keys, count);
          } else {
            for (int i = 0; i < count; i++) {
              add(lane, hasher.hash(keys[i]));
            }
          }
        });
  }

  private void add(long[] keys, int count) {
    withLanes(
        lane -> {
          if (lane.length == 1) {
            lane[0].addAll(keys, count);
          } else {
            for (int i = 0; i < count; i++) {
              add(lane, hasher.hash(keys[i]));
            }
          }
        });
  }

  private void withLanes(Consumer<BlockedFill.Lane[]> work) {
    BlockedFill.Lane[] mine = lanes.poll();
    try {
      if (mine == null) {
        mine = partitions.stream().map(BlockedFill::lane).toArray(BlockedFill.Lane[]::new);
      }
      work.accept(mine);
    } catch (RuntimeException | Error e) {
      failure = e;
    } finally {
      if (mine != null) {
        lanes.add(mine);
      }
    }
  }

  private static void add(BlockedFill.Lane[] lanes, long hash) {
    lanes[BlockGeometry.partition(hash, lanes.length)].addHash(hash);
  }
}
