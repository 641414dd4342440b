package io.bloomguard.bench;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A filter of words that is compared with another one.
 *
 * @param at the store of the word at an index: the same for all, unless each subject has its own
 * @param builds what builds it from all words at once, null where it can only be added to
 * @param shape of what is built
 * @param formula the false-positive probability that its formula gives for all words
 * @param bytes what its bits take
 */
record Side(
    IntFunction<MembershipStore> at,
    @Nullable GenerationStore builds,
    FilterShape shape,
    double formula,
    LongSupplier bytes) {

  /** Words of one call, and of a subject. */
  static final int BATCH = 1_000;

  /** A filter that is built. */
  static Side built(GenerationStore store, FilterShape shape, double formula, LongSupplier bytes) {
    return new Side(i -> store, store, shape, formula, bytes);
  }

  /** A filter of our own that is built. */
  static Side built(GenerationStore store, FilterShape shape) {
    double formula = shape.falsePositiveProbabilityAt(shape.expectedInsertions());
    return built(store, shape, formula, shape::sizeBytes);
  }

  /** Serves the words, whatever it held before. */
  void build(List<String> words) {
    try (GenerationStore.Build build = builds.beginBuild(shape)) {
      String[] batch = new String[BATCH];
      for (int from = 0; from < words.size(); from += BATCH) {
        build.addAll(words.subList(from, from + BATCH).toArray(batch), BATCH);
      }
      build.publish();
    }
  }

  /**
   * Adds words, the first of which has that index, in calls that end at multiples of {@link
   * #BATCH}.
   */
  void addAll(List<String> words, int first) {
    int from = 0;
    while (from < words.size()) {
      int to = Math.min(words.size(), from + BATCH - (first + from) % BATCH);
      BenchRedis.add(at.apply(first + from), words.subList(from, to));
      from = to;
    }
  }

  /** Adds words, a call each. */
  void addOneByOne(List<String> words, int first) {
    for (int i = 0; i < words.size(); i++) {
      BenchRedis.add(at.apply(first + i), List.of(words.get(i)));
    }
  }

  /** Looks words up that it holds, a call each. */
  void find(List<String> words, int first) {
    for (int i = 0; i < words.size(); i++) {
      BenchRedis.expectPresent(at.apply(first + i).check(words.get(i)));
    }
  }

  /** How many words of one call it holds, or seems to hold. */
  int possiblyPresent(List<String> words, int first) {
    return BenchRedis.count(Membership.POSSIBLY_PRESENT, at.apply(first).checkAll(words));
  }
}
