package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.redis.internal.image.ImageFormat;

/** The number and the shape of a filter's partitions, whose images have to fit a Redis string. */
final class PartitionSizes {

  private PartitionSizes() {}

  /** The number of partitions that a shape needs. */
  static int count(FilterShape shape, Limits limits) {
    int count = 1;
    while (!fits(part(shape, count), limits)) {
      count++;
    }
    return count;
  }

  /** Whether the image of a partition's shape is no larger than is allowed. */
  static boolean fits(FilterShape part, Limits limits) {
    return part.sizeBytes() <= limits.maxImageBytes() - 2L * ImageFormat.FRAME_BYTES;
  }

  /**
   * The shape of one partition of {@code count}, with room for an uneven spread of the keys.
   *
   * @throws IllegalArgumentException if the layout is not in blocks
   */
  static FilterShape part(FilterShape shape, int count) {
    if (!shape.layout().inBlocks()) {
      throw new IllegalArgumentException(
          "The layout "
              + shape.layout()
              + " cannot be kept in Redis: use the layout blocked, or backend local");
    }
    if (count == 1) {
      return shape;
    }
    long most = Sizing.partitionInsertions(shape.expectedInsertions(), count);
    return Sizing.shape(shape.layout(), most, shape.falsePositiveProbability(), shape.blockWords());
  }
}
