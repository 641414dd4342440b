package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.internal.AddsSince;
import io.bloomguard.generation.internal.ImageRefusedException;
import io.bloomguard.image.ImageSet;
import io.bloomguard.redis.internal.image.RedisHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * An image set, which takes no heap: its slices go to Redis as they are read. The adds since its
 * data, which the journal must have, are replayed after the last of them.
 */
final class SetContent implements BuildContent {

  private final RedisBuild.Order order;
  private final ImageSet set;
  private final List<ImageLoad> parts;
  private Instant replayedFrom = Instant.EPOCH;

  /**
   * @param set that of the order
   * @param parts the partitions that get the generation
   */
  SetContent(RedisBuild.Order order, ImageSet set, List<ImageLoad> parts) {
    this.order = order;
    this.set = set;
    this.parts = parts;
  }

  /**
   * Requires that the set is one of this filter, of the past.
   *
   * @param registered the moment from which on adds reach the generation
   * @throws ImageRefusedException if it is not
   */
  void require(Instant registered) {
    Fingerprint own =
        Fingerprint.of(order.filter(), order.shape(), order.hasher(), order.partitions().length, 0);
    AddsSince.require(set, own, registered);
  }

  /**
   * Decides from when on the journal is replayed.
   *
   * @param whole the moment from which on every journal has every acknowledged add
   * @param complete whether the adds since the set's data come from elsewhere too
   * @return why the set may lack adds, so that it must deny no key; null if it has all
   * @throws ImageRefusedException if it may lack adds, and there is something better
   */
  @Nullable String decideReplay(Instant whole, boolean complete) {
    Duration reliance = parts.get(0).partition().journal().reliance();
    AddsSince adds = AddsSince.of(order.filter(), set, whole, reliance, complete);
    replayedFrom = adds.from();
    // With all of the journal, a set that lacks adds is better than nothing, and denies no key.
    return adds.doubt(!parts.stream().allMatch(this::isAwaitedBy));
  }

  /** Whether it has nothing that may serve again, nor what denies no key from the same set. */
  private boolean isAwaitedBy(ImageLoad part) {
    RedisHead head = part.partition().head().last();
    RedisHead.Trust trust = head.trust();
    boolean lost = head.serving() == null || trust.rebuild();
    boolean has = trust.lacks() && head.asOf() == set.asOf().toEpochMilli();
    return lost && !has && !part.partition().keys().arriving();
  }

  /**
   * Sends all slices.
   *
   * @param proceed ends the load by an exception, before any part of it
   */
  void load(ImageSet.Files files, Runnable proceed) throws IOException {
    for (ImageLoad part : parts) {
      long bits = 0;
      for (ImageSet.Slice slice : set.slices()) {
        if (slice.partition() == part.index()) {
          bits += slice.bits();
          slice.read(
              files,
              (partition, offset, words) -> {
                proceed.run();
                part.send(offset, bytes(words));
              });
        }
      }
      part.endSending(order.shape().estimateElements(bits), bits);
    }
  }

  private static byte[] bytes(ByteBuffer words) {
    byte[] bytes = new byte[words.remaining()];
    words.get(bytes);
    return bytes;
  }

  @Override
  public void addAll(String[] keys, int count) {
    add(Arrays.stream(keys, 0, count).mapToLong(order.hasher()::hash));
  }

  @Override
  public void addAll(long[] keys, int count) {
    add(Arrays.stream(keys, 0, count).map(order.hasher()::hash));
  }

  /** Adds to the images directly: nothing of the set is sent after this. */
  private void add(LongStream hashes) {
    int count = order.partitions().length;
    Map<Integer, List<Long>> ofPartitions =
        hashes.boxed().collect(Collectors.groupingBy(hash -> BlockGeometry.partition(hash, count)));
    for (ImageLoad part : parts) {
      part.replay(ofPartitions.getOrDefault(part.index(), List.of()));
    }
  }

  @Override
  public void complete(ImageLoad part) {
    part.replay(replayedFrom);
  }
}
