package io.bloomguard.it.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import com.google.common.hash.Hashing;
import io.bloomguard.classic.internal.guava.GuavaFilter;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.it.support.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Keys that were made to pass, at filters full of other keys. */
class ForgeryTest {

  private static final int INSERTIONS = 20_000;
  private static final double PROBABILITY = 0.01;

  /** Unknown to the forger, and the same in every run, so that the share that passes is too. */
  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");

  @Test
  void keysForgedFromOneKnownKey() {
    String known = "product-42";
    byte[] hash = Hashing.murmur3_128().hashString(known, UTF_8).asBytes();
    List<String> forged = Murmur3Forger.collidingWith(hash, Form.of(30, 150, 5_000));
    assertThat(forged).doesNotHaveDuplicates().doesNotContain(known);

    requirePass("forged from one known key", List.of(known), forged);
  }

  @Test
  void familiesThatCollideUnderEverySeed() {
    int units = Murmur3Forger.RULES.maxLength() / Murmur3Forger.UNIT_BYTES;
    Murmur3Forger forger = new Murmur3Forger(1);
    List<String> known = new ArrayList<>();
    List<String> forged = new ArrayList<>();
    for (int i = 0; i < Form.of(20, 20, 200); i++) {
      List<String> family = forger.family(units);
      requireOneHash(family);
      known.add(family.get(0));
      forged.addAll(family.subList(1, family.size()));
    }
    assertThat(forged).doesNotHaveDuplicates().allMatch(Murmur3Forger.RULES::accepts);

    requirePass("of families that collide under every Murmur3 seed", known, forged);
  }

  private static void requireOneHash(List<String> family) {
    SplittableRandom seeds = new SplittableRandom(7);
    for (int i = 0; i < 20; i++) {
      int seed = seeds.nextInt();
      assertThat(family)
          .extracting(key -> Hashing.murmur3_128(seed).hashString(key, UTF_8))
          .containsOnly(Hashing.murmur3_128(seed).hashString(family.get(0), UTF_8));
    }
  }

  private static void requirePass(String what, List<String> known, List<String> forged) {
    BloomFilter<CharSequence> guava =
        BloomFilter.create(Funnels.stringFunnel(UTF_8), INSERTIONS, PROBABILITY);
    filled(known).forEach(guava::put);
    BloomFilter<CharSequence> sparse =
        BloomFilter.create(Funnels.stringFunnel(UTF_8), INSERTIONS, PROBABILITY / 10_000);
    filled(known).forEach(sparse::put);

    int all = forged.size();
    assertThat(passing("Guava, p 1 %", what, forged, guava::mightContain)).isEqualTo(all);
    assertThat(passing("Guava, p 0.0001 %", what, forged, sparse::mightContain)).isEqualTo(all);
    MembershipFilter layoutGuava = ours(Layout.GUAVA, KeyHash.SIPHASH_1_3, known);
    assertThat(passing("layout: guava, p 1 %", what, forged, layoutGuava::mightContain))
        .isEqualTo(all);

    int bound = (int) (all * PROBABILITY + 3 * Math.sqrt(all * PROBABILITY * (1 - PROBABILITY)));
    for (KeyHash hash : List.of(KeyHash.SIPHASH_1_3, KeyHash.SIPHASH_2_4)) {
      MembershipFilter keyed = ours(Layout.BLOCKED, hash, known);
      assertThat(known).allMatch(keyed::mightContain);
      assertThat(passing("layout: blocked, " + hash + ", p 1 %", what, forged, keyed::mightContain))
          .isLessThanOrEqualTo(bound);
    }
  }

  private static MembershipFilter ours(Layout layout, KeyHash hash, List<String> known) {
    FilterShape shape = Sizing.shape(layout, INSERTIONS, PROBABILITY);
    MembershipFilter filter =
        layout == Layout.GUAVA
            ? GuavaFilter.create(shape)
            : MembershipFilters.create(shape, hash.hasher(SECRET));
    filled(known).forEach(filter::add);
    return filter;
  }

  /** The known keys, and others up to the insertions that the filters are made for. */
  private static List<String> filled(List<String> known) {
    List<String> keys = new ArrayList<>(known);
    for (int i = known.size(); i < INSERTIONS; i++) {
      keys.add("other-" + i);
    }
    return keys;
  }

  private static int passing(
      String filter, String what, List<String> forged, Predicate<String> mightContain) {
    int passed = (int) forged.stream().filter(mightContain).count();
    System.out.printf(
        "RESULT forgery, %s: %d of %d keys %s passed (%.2f %%)%n",
        filter, passed, forged.size(), what, 100.0 * passed / forged.size());
    return passed;
  }
}
