package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.redis.internal.image.ImageFormat;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of the work that a filter in Redis does by itself, and of the strings that hold it.
 *
 * @param maxImageBytes the longest string
 * @param lockLifetime how long the right to build outlives its holder
 * @param lifetime how long a writer without a heartbeat counts as alive
 * @param grace how long a doubt lasts at least, so that every writer can report
 * @param lateCommits how long after its add a row may commit before a scheme migration misses it;
 *     null for the journal's retention
 */
public record Limits(
    long maxImageBytes,
    Duration lockLifetime,
    Duration lifetime,
    Duration grace,
    @Nullable Duration lateCommits) {

  /** The longest string of Redis, and times that suit processes that call once a second. */
  public static final Limits USUAL =
      new Limits(
          512L << 20, Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(2), null);

  private static final Duration LONGEST_GAP = Duration.ofMinutes(2);

  /** After a longer gap a filter with a source is rebuilt; the keys are not added again. */
  Duration longestGap(Duration retention) {
    return retention.compareTo(LONGEST_GAP) < 0 ? retention : LONGEST_GAP;
  }

  /** The number of partitions that a shape needs. */
  public int partitions(FilterShape shape) {
    return FilterPlan.of(inBlocks(shape), imageBytes()).partitions();
  }

  /** Whether the image of a partition's shape is no larger than is allowed. */
  boolean fits(FilterShape part) {
    return part.sizeBytes() <= imageBytes();
  }

  private long imageBytes() {
    return maxImageBytes - 2L * ImageFormat.FRAME_BYTES;
  }

  /**
   * The shape of one partition of {@code count}, with room for an uneven spread of the keys.
   *
   * @throws IllegalArgumentException if the layout is not in blocks
   */
  static FilterShape part(FilterShape shape, int count) {
    return FilterPlan.split(inBlocks(shape), count).part();
  }

  private static FilterShape inBlocks(FilterShape shape) {
    if (!shape.layout().inBlocks()) {
      throw new IllegalArgumentException(
          "The layout "
              + shape.layout()
              + " cannot be kept in Redis: use the layout blocked, or backend local");
    }
    return shape;
  }

  public Limits withMaxImageBytes(long bytes) {
    return new Limits(bytes, lockLifetime, lifetime, grace, lateCommits);
  }

  Limits withGrace(Duration other) {
    return new Limits(maxImageBytes, lockLifetime, lifetime, other, lateCommits);
  }

  public Limits withLockLifetime(Duration other) {
    return new Limits(maxImageBytes, other, lifetime, grace, lateCommits);
  }

  public Limits withLifetime(Duration other) {
    return new Limits(maxImageBytes, lockLifetime, other, grace, lateCommits);
  }

  public Limits withLateCommits(Duration other) {
    return new Limits(maxImageBytes, lockLifetime, lifetime, grace, other);
  }

  /**
   * The time that a scheme migration waits between the first add to both schemes and the reading of
   * the source.
   */
  public Duration lateCommits(Duration retention) {
    return lateCommits == null ? retention : lateCommits;
  }
}
