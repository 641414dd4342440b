package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;

/** The factory of filters in blocks, by their layout. */
public final class MembershipFilters {

  private MembershipFilters() {}

  /**
   * {@return an empty filter without a salt}
   *
   * @param shape the dimensions, whose layout selects the kind of filter
   * @param hasher the hash of keys
   * @throws IllegalArgumentException if the layout is none in blocks
   */
  public static MembershipFilter create(FilterShape shape, KeyHasher hasher) {
    return create(shape, hasher, 0);
  }

  /**
   * {@return an empty filter}
   *
   * @param shape the dimensions, whose layout selects the kind of filter
   * @param hasher the hash of keys
   * @param salt the salt of its image, 0 for none
   * @throws IllegalArgumentException if the layout is none in blocks
   */
  public static MembershipFilter create(FilterShape shape, KeyHasher hasher, long salt) {
    return switch (shape.layout()) {
      case BLOCKED, COUNTING -> new BlockedFilter(shape, hasher, salt);
      case GUAVA, CLASSIC ->
          throw new IllegalArgumentException("The layout " + shape.layout() + " is not in blocks");
    };
  }
}
