package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.redis.internal.partition.PartitionCheck;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** The way of hashes to the partitions of a filter, and of the answers back into their order. */
final class PartitionRouter {

  /** Keys in one read command. */
  private static final int CHECK_CHUNK = 128;

  private final RedisPartition[] partitions;

  PartitionRouter(RedisPartition[] partitions) {
    this.partitions = partitions;
  }

  /** The partition of a hash's key. */
  RedisPartition of(long hash) {
    return partitions[index(hash)];
  }

  private int index(long hash) {
    return partitions.length == 1 ? 0 : BlockGeometry.partition(hash, partitions.length);
  }

  /**
   * Returns the memberships of the keys of hashes, in their order.
   *
   * @param atLeast the time that Redis has, even for few keys; zero for that of a request
   */
  Membership[] check(long[] all, Duration atLeast) {
    Membership[] answers = new Membership[all.length];
    List<PartitionCheck> checks = send(all, answers, atLeast);
    Duration patience = patience(checks);
    await(checks, answers, patience.compareTo(atLeast) > 0 ? patience : atLeast);
    return answers;
  }

  /**
   * The time of a batch, in proportion to its keys: on a busy machine the first command's answer
   * may come as late as the last one's, for all of them are on their way at once.
   */
  private Duration patience(List<PartitionCheck> checks) {
    return partitions[0].requests().timeout().multipliedBy(Math.max(1, checks.size()));
  }

  /** Waits for all checks, for that time in sum. */
  private static void await(List<PartitionCheck> checks, Membership[] answers, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    for (PartitionCheck check : checks) {
      check.await(answers, Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
  }

  /** Checks hashes in their partitions, for a caller whose thread must not wait. */
  CompletableFuture<Membership[]> checkAsync(long[] all, Executor waiting) {
    if (all.length == 1) {
      return of(all[0]).checkAsync(all[0], waiting).thenApply(answer -> new Membership[] {answer});
    }
    for (RedisPartition partition : partitions) {
      if (partition.keys().arriving()) {
        // Whether it has arrived is read from Redis.
        return CompletableFuture.supplyAsync(() -> check(all, Duration.ZERO), waiting);
      }
    }
    Membership[] answers = new Membership[all.length];
    List<PartitionCheck> checks = send(all, answers, Duration.ZERO);
    Duration atMost = patience(checks);
    return CompletableFuture.allOf(
            checks.stream().map(check -> check.ended(atMost)).toArray(CompletableFuture[]::new))
        .thenCompose(
            ended -> {
              List<PartitionCheck> left =
                  checks.stream().filter(check -> !check.tryAnswer(answers)).toList();
              if (left.isEmpty()) {
                return CompletableFuture.completedFuture(answers);
              }
              return CompletableFuture.supplyAsync(
                  () -> {
                    await(left, answers, Duration.ZERO);
                    return answers;
                  },
                  waiting);
            });
  }

  /** Writes the answers that are known, and sends the checks of the others. */
  private List<PartitionCheck> send(long[] all, Membership[] answers, Duration atLeast) {
    List<PartitionCheck> checks = new ArrayList<>();
    int[][] indexes = new int[partitions.length][CHECK_CHUNK];
    long[][] hashes = new long[partitions.length][CHECK_CHUNK];
    int[] filled = new int[partitions.length];
    for (int i = 0; i < answers.length; i++) {
      int partition = index(all[i]);
      int at = filled[partition]++;
      indexes[partition][at] = i;
      hashes[partition][at] = all[i];
      if (at == CHECK_CHUNK - 1) {
        send(
            partition,
            indexes[partition],
            hashes[partition],
            CHECK_CHUNK,
            answers,
            checks,
            atLeast);
        filled[partition] = 0;
      }
    }
    for (int partition = 0; partition < partitions.length; partition++) {
      if (filled[partition] > 0) {
        int count = filled[partition];
        send(partition, indexes[partition], hashes[partition], count, answers, checks, atLeast);
      }
    }
    return checks;
  }

  private void send(
      int partition,
      int[] indexes,
      long[] hashes,
      int count,
      Membership[] answers,
      List<PartitionCheck> checks,
      Duration atLeast) {
    RedisPartition of = partitions[partition];
    if (!of.known(hashes, indexes, count, answers)) {
      checks.add(
          new PartitionCheck(
              of, Arrays.copyOf(indexes, count), Arrays.copyOf(hashes, count), !atLeast.isZero()));
    }
  }

  /**
   * Adds the keys of hashes.
   *
   * @return the add, with whether each key was new, in their order
   * @throws AddFailedException if an add could not be stored
   */
  PendingAdd add(long[] hashes) {
    List<List<Long>> routed = routed(hashes);
    RedisPartition.Added[] added = new RedisPartition.Added[partitions.length];
    for (int i = 0; i < partitions.length; i++) {
      added[i] = partitions[i].add(routed.get(i));
    }
    boolean[] isNew = new boolean[hashes.length];
    int[] at = new int[partitions.length];
    for (int i = 0; i < isNew.length; i++) {
      int partition = index(hashes[i]);
      isNew[i] = added[partition].isNew().get(at[partition]++);
    }
    return new PendingAdd(isNew, Stream.of(added).flatMap(each -> each.waits().stream()).toList());
  }

  /**
   * Removes the keys of hashes from a generation.
   *
   * @param generation its number; 0 for any that serves
   * @return how many were removed
   * @throws RemovalFailedException if a partition could not remove its keys
   */
  int remove(long[] hashes, long generation) {
    List<List<Long>> routed = routed(hashes);
    int removed = 0;
    for (int i = 0; i < partitions.length; i++) {
      try {
        removed += partitions[i].remove(routed.get(i), generation);
      } catch (RemovalFailedException e) {
        throw e.after(removed);
      }
    }
    return removed;
  }

  /** The hashes of each partition, in their order. */
  private List<List<Long>> routed(long[] hashes) {
    List<List<Long>> routed = new ArrayList<>();
    for (int i = 0; i < partitions.length; i++) {
      routed.add(new ArrayList<>());
    }
    for (long hash : hashes) {
      routed.get(index(hash)).add(hash);
    }
    return routed;
  }
}
