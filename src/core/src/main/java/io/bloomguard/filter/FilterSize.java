package io.bloomguard.filter;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The total size of a filter in one layout, over all images that it is split into.
 *
 * @param layout its name, as in the property {@code layout}; or {@link #CLASSIC}, {@link #REDIS} or
 *     {@link #REDIS_BLOOM}
 * @param insertions n, the distinct keys that it is made for
 * @param falsePositiveProbability the requested p at n keys
 * @param bits the memory of its bits or counters, in bits
 * @param counterBits the memory of one position: 1, or the bits of a counter
 * @param blockWords runs of 64 positions in a block; 0 for a layout without blocks
 * @param hashes k, the positions of one key
 */
public record FilterSize(
    String layout,
    long insertions,
    double falsePositiveProbability,
    long bits,
    int counterBits,
    int blockWords,
    int hashes) {

  /** Bloom's filter without blocks, by the formulas alone. */
  public static final String CLASSIC = "classic";

  /** A blocked filter of the backend redis, with all its partitions. */
  public static final String REDIS = "redis";

  /** A scaling filter of RedisBloom, as {@code BF.RESERVE} makes it by default. */
  public static final String REDIS_BLOOM = "redis-bloom";

  /** The most bits of a calculation: as many as a {@code double} distinguishes, one PiB. */
  public static final long MAX_BITS = 1L << 53;

  /** The longest string of Redis. */
  public static final long REDIS_STRING_BYTES = 512L << 20;

  /** The most bytes of an image of ours in such a string, whose ends identify it. */
  public static final long REDIS_IMAGE_BYTES = REDIS_STRING_BYTES - 160;

  /** The largest {@code long[]} of a common JVM. */
  public static final long HEAP_ARRAY_BYTES = FilterShape.MAX_WORDS * Long.BYTES;

  private static final double[] LOADS = {0.5, 1, 1.5, 2, 3, 4};

  /**
   * Checks the target, and the size against {@link #MAX_BITS}.
   *
   * @param layout its name, as in the property {@code layout}
   * @param insertions n, the distinct keys that it is made for
   * @param falsePositiveProbability the requested p at n keys
   * @param bits the memory of its bits or counters, in bits
   * @param counterBits the memory of one position
   * @param blockWords runs of 64 positions in a block
   * @param hashes k, the positions of one key
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public FilterSize {
    FilterShape.requireTarget(insertions, falsePositiveProbability);
    if (bits < 1 || bits > MAX_BITS) {
      throw tooLarge(insertions, falsePositiveProbability, bits);
    }
  }

  /**
   * {@return the size of one image}
   *
   * @param shape the dimensions of the image
   */
  public static FilterSize of(FilterShape shape) {
    return new FilterSize(
        name(shape.layout()),
        shape.expectedInsertions(),
        shape.falsePositiveProbability(),
        shape.sizeBytes() * 8,
        shape.layout().counterBits(),
        shape.blockWords(),
        shape.hashes());
  }

  /**
   * {@return the size of a filter for n keys at p, in blocks of eight words if the layout has
   * blocks}
   *
   * @param layout the arrangement of a key's bits
   * @param n the distinct keys, at least 1
   * @param p the false-positive probability at n keys, within (0, 1)
   * @throws IllegalArgumentException as for {@link Sizing#sizes}
   */
  public static FilterSize of(Layout layout, long n, double p) {
    return switch (layout) {
      case BLOCKED, COUNTING -> inBlocks(layout, n, p, Sizing.DEFAULT_BLOCK_WORDS);
      case GUAVA -> guava(n, p);
      case CLASSIC -> classic(n, p);
    };
  }

  /**
   * {@return the size of a filter for n keys at p in blocks}
   *
   * @param n the distinct keys, at least 1
   * @param p the false-positive probability at n keys, within (0, 1)
   * @param blockWords 64-bit words in a block: 1, 2, 4 or 8
   * @throws IllegalArgumentException as for {@link Sizing#sizes}
   */
  public static FilterSize blocked(long n, double p, int blockWords) {
    return inBlocks(Layout.BLOCKED, n, p, blockWords);
  }

  private static FilterSize inBlocks(Layout layout, long n, double p, int blockWords) {
    FilterShape.requireTarget(n, p);
    FilterShape.requireBlockWords(blockWords);
    int blockBits = blockWords * Long.SIZE;
    BlockedMath.BlockLoad load = BlockedMath.bestLoad(blockBits, p);
    double blocks = Math.ceil(n / load.keys());
    int counterBits = layout.counterBits();
    double bits = blocks * blockBits * counterBits;
    return new FilterSize(
        name(layout), n, p, whole(n, p, bits), counterBits, blockWords, load.hashes());
  }

  static FilterSize classic(long n, double p) {
    long bits = whole(n, p, Math.ceil(n * Sizing.classicBitsPerKey(p)));
    return new FilterSize(CLASSIC, n, p, bits, 1, 0, Sizing.classicHashes(n, bits));
  }

  private static FilterSize guava(long n, double p) {
    double bits = Sizing.guavaBits(n, p);
    long words = whole(n, p, Math.ceil(bits / Long.SIZE));
    return new FilterSize(name(Layout.GUAVA), n, p, words * Long.SIZE, 1, 0, Sizing.guavaHashes(p));
  }

  static FilterSize redis(long n, double p) {
    FilterPlan plan = FilterPlan.redis(n, p);
    FilterShape part = plan.part();
    long bits = whole(n, p, 8.0 * plan.sizeBytes());
    return new FilterSize(REDIS, n, p, bits, 1, part.blockWords(), part.hashes());
  }

  static FilterSize redisBloom(long n, double p) {
    FilterShape.requireTarget(n, p);
    SubFilter first = SubFilter.first(n, p);
    return new FilterSize(REDIS_BLOOM, n, p, whole(n, p, first.bits()), 1, 0, first.hashes());
  }

  /** {@return the memory of its bits or counters, in bytes} */
  public long bytes() {
    return (bits + 7) / 8;
  }

  /** {@return the memory of one of the expected keys, in bits} */
  public double bitsPerKey() {
    return (double) bits / insertions;
  }

  /**
   * {@return the number of images that it is split into, so that none is larger; for {@link #REDIS}
   * those that the backend makes}
   *
   * @param imageBytes the most bytes of one, at least 1024
   */
  public int partitions(long imageBytes) {
    if (layout.equals(REDIS)) {
      return FilterPlan.redis(insertions, falsePositiveProbability).partitions();
    }
    if (bytes() <= imageBytes) {
      return 1;
    }
    double keyBytes = (double) bytes() / insertions;
    int count = (int) Math.min(Integer.MAX_VALUE, (bytes() - 1) / imageBytes + 1);
    while (Sizing.partitionInsertions(insertions, count) * keyBytes > imageBytes) {
      count++;
    }
    return count;
  }

  /**
   * {@return the false-positive probability with {@code elements} distinct keys, 0 to 1}
   *
   * @param elements the number of distinct keys, 0 or more
   */
  public double falsePositiveProbabilityAt(long elements) {
    if (layout.equals(REDIS_BLOOM)) {
      return SubFilter.falsePositiveProbability(insertions, falsePositiveProbability, elements);
    }
    long positions = bits / counterBits;
    if (blockWords == 0) {
      return Sizing.exactFalsePositiveProbability(elements, positions, hashes);
    }
    int blockBits = blockWords * Long.SIZE;
    double load = (double) elements / (positions / blockBits);
    return BlockedMath.falsePositiveProbability(load, blockBits, hashes);
  }

  /**
   * {@return the keys that it holds before it exceeds its false-positive probability; 0 for none}
   */
  public long capacity() {
    return Sizing.lastWithin(falsePositiveProbability, this::falsePositiveProbabilityAt);
  }

  /** {@return its rates with half to four times the keys that it is made for} */
  public List<Load> overload() {
    return Arrays.stream(LOADS).mapToObj(this::load).toList();
  }

  private Load load(double times) {
    long elements = Math.round(insertions * times);
    return new Load(times, elements, falsePositiveProbabilityAt(elements));
  }

  private static String name(Layout layout) {
    return layout.name().toLowerCase(Locale.ROOT);
  }

  private static long whole(long n, double p, double bits) {
    if (!(bits <= MAX_BITS)) {
      throw tooLarge(n, p, bits);
    }
    return (long) bits;
  }

  private static IllegalArgumentException tooLarge(long n, double p, double bits) {
    return new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "A filter for %d keys at a false-positive probability of %s would have %.4g bits, but"
                + " must have at least 1 and at most %d: lower the expected insertions or raise the"
                + " probability",
            n,
            p,
            bits,
            MAX_BITS));
  }

  /**
   * One point of the overload curve.
   *
   * @param times the keys in the filter over the expected insertions
   * @param insertions the distinct keys in the filter then
   * @param falsePositiveProbability the false-positive probability then
   */
  public record Load(double times, long insertions, double falsePositiveProbability) {}
}
