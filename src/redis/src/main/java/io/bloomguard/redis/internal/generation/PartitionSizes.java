package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.redis.internal.image.ImageFormat;

/** The partitions of a filter, whose images have to fit a Redis string. */
final class PartitionSizes {

  private PartitionSizes() {}

  /** The number of partitions that a shape needs. */
  static int count(FilterShape shape, Limits limits) {
    return FilterPlan.of(inBlocks(shape), imageBytes(limits)).partitions();
  }

  /** Whether the image of a partition's shape is no larger than is allowed. */
  static boolean fits(FilterShape part, Limits limits) {
    return part.sizeBytes() <= imageBytes(limits);
  }

  private static long imageBytes(Limits limits) {
    return limits.maxImageBytes() - 2L * ImageFormat.FRAME_BYTES;
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
}
