package io.bloomguard.filter;

/** The factory of filters, by their layout. */
public final class MembershipFilters {

  private MembershipFilters() {}

  /**
   * {@return an empty filter}
   *
   * @param shape the dimensions, whose layout selects the kind of filter
   * @param hasher the hash of a filter in blocks; a filter of the layout {@link Layout#GUAVA} has
   *     Guava's own, over keys folded as this one's
   * @throws IllegalStateException if the layout needs Guava and it is not on the class path
   */
  public static MembershipFilter create(FilterShape shape, KeyHasher hasher) {
    return create(shape, hasher, KeyFunnel.STRING_UTF8);
  }

  /**
   * {@return an empty filter, which may be shared with programs that use Guava}
   *
   * @param shape the dimensions, whose layout selects the kind of filter
   * @param hasher the hash of a filter in blocks, and the folding of keys of any
   * @param funnel the funnel of a filter of the layout {@link Layout#GUAVA}; no other layout uses
   *     it
   */
  public static MembershipFilter create(FilterShape shape, KeyHasher hasher, KeyFunnel funnel) {
    return switch (shape.layout()) {
      case BLOCKED, COUNTING -> new BlockedFilter(shape, hasher);
      case GUAVA -> guava(shape, hasher.folding(), funnel);
      case CLASSIC ->
          throw new IllegalArgumentException("The layout CLASSIC is kept by other programs");
    };
  }

  private static MembershipFilter guava(FilterShape shape, KeyFolding folding, KeyFunnel funnel) {
    try {
      return GuavaFilter.create(shape, folding, funnel);
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "The layout GUAVA needs Guava: add the dependency com.google.guava:guava", e);
    }
  }
}
