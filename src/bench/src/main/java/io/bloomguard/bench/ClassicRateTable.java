package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.classic.internal.hash.ClassicHash;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilters;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/** How the hashes of PHP programs do on keys of several kinds. */
@Suite(
    order = 63,
    title = "False positives of PHP's hashes by kind of key",
    text =
        """
        A million distinct keys in 20 million bits, then a million others. `IDS` are decimal numbers of 10 digits or fewer, `UUIDS` have
        36 characters, `URLS` 64 to 120, `NON_LATIN` are words in five scripts with a number, `WORDS` have 4 to 12
        lower-case letters. `bkdr-seeded` has 14 seeds. `ours` is the layout `blocked`, sized for the rate that
        `formula` gives for the classic. The bits are those that Redis would hold.
        """)
final class ClassicRateTable implements FigureTable {

  private static final int KEYS = BenchForm.size(1_000_000, 2_000);
  private static final int BITS = 20 * KEYS;
  private static final int SEEDS = 14;

  private final List<Map<String, Object>> rows = new ArrayList<>();

  @Override
  public List<Map<String, Object>> rows() {
    List<List<String>> words = Words.lists(2, KEYS);
    compare("WORDS", i -> words.get(0).get((int) i), i -> words.get(1).get((int) i));
    for (Kind kind : Kind.values()) {
      compare(kind.name(), i -> kind.key(BenchKeys.present(i)), i -> kind.key(BenchKeys.absent(i)));
    }
    return rows;
  }

  private void compare(String kind, LongFunction<String> present, LongFunction<String> absent) {
    List<ClassicHash> families = List.of(ClassicHash.BKDR, ClassicHash.SDBM, ClassicHash.JS);
    compare(kind, "bkdr,sdbm,js", BitOffsets.of(BITS, families), present, absent);
    compare(kind, "bkdr-seeded", BitOffsets.seeded(BITS, SEEDS), present, absent);
  }

  private void compare(
      String kind,
      String hashes,
      BitOffsets offsets,
      LongFunction<String> present,
      LongFunction<String> absent) {
    BitSet bits = new BitSet(BITS);
    long[] of = new long[offsets.count()];
    double formula = Sizing.classicFalsePositiveProbability(KEYS, BITS, offsets.count());
    FilterShape shape = Sizing.shape(Layout.BLOCKED, KEYS, formula);
    MembershipFilter ours = MembershipFilters.create(shape, Peers.KEYED);
    for (int i = 0; i < KEYS; i++) {
      String key = present.apply(i);
      ours.add(key);
      offsets.write(key.getBytes(UTF_8), of, 0);
      for (long bit : of) {
        bits.set((int) bit);
      }
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("keys", kind);
    row.put("hashes", hashes);
    row.put("formula", formula);
    row.put("measured", share(absent, key -> isSet(bits, offsets, key, of)));
    row.put("ours", share(absent, ours::mightContain));
    row.put("fill", (double) bits.cardinality() / BITS);
    row.put("bitsPerKey", (double) BITS / KEYS);
    row.put("ourBitsPerKey", (double) shape.bits() / KEYS);
    rows.add(row);
  }

  private static boolean isSet(BitSet bits, BitOffsets offsets, String key, long[] of) {
    offsets.write(key.getBytes(UTF_8), of, 0);
    for (long bit : of) {
      if (!bits.get((int) bit)) {
        return false;
      }
    }
    return true;
  }

  private static double share(LongFunction<String> keys, Predicate<String> filter) {
    long passed = 0;
    for (int i = 0; i < KEYS; i++) {
      passed += filter.test(keys.apply(i)) ? 1 : 0;
    }
    return (double) passed / KEYS;
  }
}
