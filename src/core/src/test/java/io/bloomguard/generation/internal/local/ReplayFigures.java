package io.bloomguard.generation.internal.local;

import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.build.TestGenerations;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The queries of docs/controls.md that false positives cost which a client has collected and sends
 * again and again, each as soon as its null entry has ended. Not part of any build: {@code
 * -Dtest=ReplayFigures} runs it.
 */
class ReplayFigures {

  private static final int KEYS = 1_000_000;
  private static final int COLLECTED = 100_000;
  private static final Duration NULL_TTL = Duration.ofSeconds(30);
  private static final int ROUNDS = 6;
  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("00112233445566778899aabbccddeeff"));

  private final AtomicLong nanos = new AtomicLong();
  private final FilterShape shape = Sizing.shape(Layout.BLOCKED, KEYS, 0.001);

  @Test
  void queriesASecond() {
    LocalGenerations store =
        TestGenerations.local(
            "items",
            of -> MembershipFilters.create(of, HASHER, BlockGeometry.drawSalt()),
            shape,
            Duration.ofMinutes(10),
            1,
            nanos::get);
    build(store);
    long[] collected = collect(store);
    for (boolean learns : new boolean[] {false, true}) {
      for (int round = 1; round <= ROUNDS; round++) {
        int queries = 0;
        for (long key : collected) {
          if (store.check(key) == POSSIBLY_PRESENT) {
            queries++;
            if (learns) {
              store.foundNothing(Long.toString(key));
            }
          }
        }
        nanos.addAndGet(NULL_TTL.toNanos());
        print(learns ? "learned" : "forgotten", round, queries);
      }
    }
    build(store);
    print("rebuilt", 1, (int) LongStream.of(collected).filter(key -> passes(store, key)).count());
  }

  private void build(LocalGenerations store) {
    try (GenerationStore.Build build = store.beginBuild(shape)) {
      long[] keys = LongStream.range(0, KEYS).toArray();
      build.addAll(keys, keys.length);
      build.publish();
    }
  }

  private static long[] collect(LocalGenerations store) {
    return LongStream.iterate(KEYS, key -> key + 1)
        .filter(key -> passes(store, key))
        .limit(COLLECTED)
        .toArray();
  }

  private static boolean passes(LocalGenerations store, long key) {
    return store.check(key) == POSSIBLY_PRESENT;
  }

  private static void print(String what, int round, int queries) {
    System.out.printf(
        Locale.ROOT,
        "FIGURES %s, after %d s: %d queries, %.0f a second%n",
        what,
        (round - 1) * NULL_TTL.toSeconds(),
        queries,
        (double) queries / NULL_TTL.toSeconds());
  }
}
