package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.ImageRead;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The status of a filter in Redis, read there on each call. */
final class RedisStatus {

  /** The answer if the image is missing, damaged or no longer serves. */
  private static final long NOT_WHOLE = -1;

  /** The answer if Redis may have lost some of it. */
  private static final long NOT_TRUSTED = -2;

  private RedisStatus() {}

  /**
   * The status of all partitions together.
   *
   * @param none the status while no image serves
   * @param unread gets the failure of a reading, null if there is none
   */
  static FilterStatus of(
      RedisPartition[] partitions,
      FilterStatus none,
      Consumer<@Nullable RedisUnavailableException> unread) {
    long generation = 0;
    long bits = 0;
    long set = 0;
    long expected = 0;
    long elements = 0;
    double falsePositives = 0;
    List<RedisHead> heads = new ArrayList<>();
    boolean building = false;
    boolean settling = false;
    int serving = 0;
    FilterShape last = none.shape();
    for (RedisPartition partition : partitions) {
      RedisHead head;
      long bitsSet;
      try {
        head = partition.head().read(partition.requests(), RedisConnections.WRITE);
        bitsSet = bitsSet(partition.requests(), head);
      } catch (RedisUnavailableException e) {
        // No loss is known, and no image could be built.
        unread.accept(e);
        return none.settling();
      }
      unread.accept(null);
      building |= head.building() != null;
      heads.add(head);
      RedisImage image = head.serving();
      if ((!head.valid() && head.condition() != RedisHead.Condition.MISSING)
          || (image != null && bitsSet == NOT_WHOLE)) {
        return none.in(FilterState.DOUBTFUL);
      }
      if (image != null && bitsSet == NOT_TRUSTED) {
        if (head.trust().rebuild()) {
          return none.in(FilterState.DOUBTFUL);
        }
        settling = true;
        bitsSet = 0;
      }
      if (image == null) {
        continue;
      }
      serving++;
      FilterShape shape = image.fingerprint().shape();
      long partElements = shape.estimateElements(bitsSet);
      last = shape;
      generation = Math.max(generation, image.generation());
      bits += shape.bits();
      set += bitsSet;
      expected += shape.expectedInsertions();
      elements += partElements;
      falsePositives += shape.falsePositiveProbabilityAt(partElements);
    }
    if (serving == 0) {
      return building ? none.in(FilterState.WARMING) : none;
    }
    if (serving < partitions.length) {
      return none.in(FilterState.DOUBTFUL);
    }
    if (settling) {
      return none.settling();
    }
    FilterShape shape =
        serving == 1
            ? last
            : new FilterShape(
                last.layout(),
                expected,
                last.falsePositiveProbability(),
                bits,
                last.blockWords(),
                last.hashes());
    return new FilterStatus(
        FilterState.READY,
        generation,
        shape,
        elements,
        (double) set / bits,
        falsePositives / serving,
        RedisRollback.isPossible(heads));
  }

  /** Explains the answer of a check. Never throws. */
  static KeyExplanation explain(RedisPartition partition, String key, long hash) {
    try {
      RedisLink link = partition.requests();
      long newest = partition.newestGeneration();
      RedisHead head = partition.head().read(link, RedisConnections.WRITE);
      RedisImage image = head.serving();
      if (image == null) {
        return unknown(key, reason(partition, head, newest));
      }
      if (!head.trust().holdsAt(link.server())) {
        return unknown(key, doubt(head));
      }
      ImageRead read = new ImageRead(link, head, image, new long[] {hash}, 1);
      long[] words = read.await(RedisConnections.WRITE);
      if (words == null) {
        return unknown(
            key,
            "The image of generation "
                + image.generation()
                + " in Redis is missing or damaged, so nothing is certain.");
      }
      Membership answer = read.answer(words, 0);
      String bits =
          answer == Membership.ABSENT
              ? "At least one bit of the key is not set"
              : "Every bit of the key is set";
      String reason = bits + " in generation " + image.generation() + ".";
      return new KeyExplanation(key, bits(image, hash, words), answer, reason);
    } catch (RedisUnavailableException e) {
      return unknown(key, "Redis does not answer, so nothing is certain.");
    }
  }

  /**
   * The reason why no image serves.
   *
   * @param newest the number of the newest generation seen before
   */
  private static String reason(RedisPartition partition, RedisHead head, long newest) {
    return switch (head.condition()) {
      case FOREIGN -> "Nothing is certain, because " + partition.head().difference(head) + ".";
      case DAMAGED -> "The filter's head in Redis is damaged, so nothing is certain.";
      case MOVED ->
          "The filter has moved to another hash scheme in Redis; nothing is certain until this"
              + " process has followed.";
      default ->
          newest > head.last()
              ? "Redis has lost generation "
                  + newest
                  + ", so nothing is certain until a rebuild has finished."
              : "No generation serves: none was built yet, or Redis has lost it. Nothing is certain"
                  + " until a build has finished.";
    };
  }

  /** What the head, as last read, says against the answers of a partition; null for nothing. */
  static @Nullable String doubt(RedisPartition partition) {
    RedisHead head = partition.head().last();
    if (head.serving() != null) {
      return head.trust().holdsAt(partition.requests().server()) ? null : doubt(head);
    }
    return switch (head.condition()) {
      case FOREIGN, DAMAGED -> reason(partition, head, 0);
      default -> null;
    };
  }

  private static String doubt(RedisHead head) {
    if (head.trust().lacks()) {
      return "The serving image set may lack keys that were added since its data, so no key is"
          + " rejected until a later set is published.";
    }
    return head.trust().rebuild()
        ? "Redis may have lost writes, so nothing is certain until a rebuild has finished."
        : "Redis may have lost writes, so nothing is certain until every process has added its"
            + " latest keys again.";
  }

  private static KeyExplanation unknown(String key, String reason) {
    return new KeyExplanation(key, List.of(), Membership.UNKNOWN, reason);
  }

  private static List<KeyExplanation.Bit> bits(RedisImage image, long hash, long[] words) {
    BlockGeometry geometry = image.geometry();
    long[] masks = new long[geometry.imageWords()];
    geometry.imageMasks(hash, masks);
    long first = image.firstWord(hash) - ImageFormat.FRAME_WORDS;
    List<KeyExplanation.Bit> bits = new ArrayList<>();
    int read = 0;
    for (int i = 0; i < masks.length; i++) {
      long word = masks[i] == 0 ? 0 : geometry.present(ImageRead.word(words, read++));
      for (long mask = masks[i]; mask != 0; mask &= mask - 1) {
        int bit = Long.numberOfTrailingZeros(mask);
        boolean set = (word >>> bit & 1) != 0;
        bits.add(new KeyExplanation.Bit(geometry.position(first + i, bit), set));
      }
    }
    return List.copyOf(bits);
  }

  /**
   * The serving image's count of set bits; 0 if there is none; or a negative reason why it does not
   * count.
   */
  private static long bitsSet(RedisLink link, RedisHead head) {
    RedisImage image = head.serving();
    try {
      return image == null ? 0 : bitsSet(link, head, image);
    } catch (RedisUnavailableException e) {
      if (e.isWrongType()) {
        return NOT_WHOLE;
      }
      throw e;
    }
  }

  private static long bitsSet(RedisLink link, RedisHead head, RedisImage image) {
    long[] ready =
        Replies.await(ImageRead.word(link, image, ImageFormat.SEAL), RedisConnections.WRITE);
    if (!head.trust().holdsAt(link.server())
        && ready != null
        && ready[0] == image.seal(ImageState.READY)) {
      return NOT_TRUSTED;
    }
    ImageRead ends = new ImageRead(link, head, image, new long[0], 0);
    long[] counters =
        ends.await(RedisConnections.WRITE) == null
            ? null
            : Replies.await(
                ImageRead.word(link, image, ImageFormat.SET_BITS), RedisConnections.WRITE);
    if (counters == null) {
      return NOT_WHOLE;
    }
    return Math.min(image.fingerprint().shape().bits(), Math.max(0, counters[0]));
  }
}
