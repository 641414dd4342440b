package io.bloomguard.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bloomguard.filter.FilterSize;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The size of a filter in each layout, as the sizing call and the command line report it.
 *
 * @param journal the bytes of an add in the journal, beside the filter
 * @param exact the bytes of an exact set of the keys, null if no length of a key was given
 */
record Sizes(
    long insertions,
    double fpp,
    Map<String, Size> layouts,
    Journal journal,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Exact exact) {

  /**
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  static Sizes of(long insertions, double fpp, @Nullable Long keyBytes) {
    Map<String, Size> layouts = new LinkedHashMap<>();
    for (FilterSize size : Sizing.sizes(insertions, fpp)) {
      layouts.put(size.layout(), Size.of(size));
    }
    return new Sizes(
        insertions,
        fpp,
        layouts,
        Journal.USUAL,
        keyBytes == null ? null : Exact.of(insertions, keyBytes));
  }

  /**
   * One layout's dimensions.
   *
   * @param blockWords runs of 64 positions in a block, null for a layout without blocks
   * @param partitions strings of Redis, of 512 MB at most, that it is split into; for the layouts
   *     blocked and Guava's arrays on the heap: the backend redis has a row of its own
   * @param heapArrays arrays of 2^31 - 8 words on the heap that it is split into
   */
  record Size(
      long bits,
      int hashes,
      long bytes,
      double bitsPerKey,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer blockWords,
      int partitions,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer heapArrays,
      List<Load> overload) {

    private static final Set<String> ON_HEAP = Set.of(name(Layout.GUAVA), name(Layout.BLOCKED));

    private static String name(Layout layout) {
      return layout.name().toLowerCase(Locale.ROOT);
    }

    private static Size of(FilterSize size) {
      int arrays = size.partitions(FilterSize.HEAP_ARRAY_BYTES);
      boolean module = size.layout().equals(FilterSize.REDIS_BLOOM);
      return new Size(
          size.bits(),
          size.hashes(),
          size.bytes(),
          size.bitsPerKey(),
          size.blockWords() == 0 ? null : size.blockWords(),
          partitions(size, module, arrays),
          module || size.layout().equals(FilterSize.REDIS) ? null : arrays,
          size.overload().stream().map(Load::of).toList());
    }

    /** The module keeps a filter in memory of its own, not in a string. */
    private static int partitions(FilterSize size, boolean module, int arrays) {
      if (module) {
        return 1;
      }
      return ON_HEAP.contains(size.layout())
          ? arrays
          : size.partitions(FilterSize.REDIS_STRING_BYTES);
    }
  }

  /**
   * One point of the overload curve.
   *
   * @param times the keys in the filter over the expected insertions
   * @param fpp the false-positive probability then
   */
  record Load(double times, long insertions, double fpp) {

    private static Load of(FilterSize.Load load) {
      return new Load(load.times(), load.insertions(), load.falsePositiveProbability());
    }
  }

  /**
   * What an add takes in the journal, until it is older than {@code rebuild.journal-retention}.
   *
   * @param redisBytesPerAdd in Redis, for an add of one key
   * @param heapBytesPerAdd on the heap of the process that adds
   * @param redisBytesPerHour for each add a second and each hour of the retention: entries stay for
   *     five quarters of it
   */
  record Journal(int redisBytesPerAdd, int heapBytesPerAdd, int redisBytesPerHour) {

    private static final Journal USUAL = new Journal(51, 12, 51 * 3600 * 5 / 4);
  }

  /**
   * An exact set of the keys.
   *
   * @param bytes of the keys themselves: what a set takes at least
   */
  record Exact(long keyBytes, long bytes) {

    private static Exact of(long insertions, long keyBytes) {
      return new Exact(keyBytes, Sizing.exactSetBytes(insertions, keyBytes));
    }
  }
}
