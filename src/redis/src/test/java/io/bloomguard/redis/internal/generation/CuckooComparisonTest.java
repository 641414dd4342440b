package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.BloomModule;
import io.bloomguard.redis.TestRedisFilters;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layout {@code counting} beside the cuckoo filter of RedisBloom, on one server with one client
 * and the same keys: memory, false positives, and a call's time, which is printed and not judged.
 */
class CuckooComparisonTest {

  private static final Logger log = LoggerFactory.getLogger(CuckooComparisonTest.class);
  private static final int KEYS = 100_000;
  private static final int PROBES = 200_000;
  private static final int STRAY = 10_000;
  private static final int CALLS = 3_000;
  private static final int BATCH = 1_000;

  private static BloomModule module;

  /** What both can do. */
  private interface Removable {

    void add(List<String> keys);

    /** For each key whether it may be in. */
    boolean[] check(List<String> keys);

    void remove(List<String> keys);

    long bytes();
  }

  private record Counting(GenerationStore store, String name) implements Removable {

    static Counting of(double probability) {
      FilterShape shape = Sizing.shape(Layout.COUNTING, KEYS, probability);
      String name = "beside-cuckoo-" + probability;
      module.commands().keys("bloomguard:{" + name + ":*").forEach(module.commands()::del);
      GenerationStore store =
          RedisTestBase.store(
              TestRedisFilters.filter(
                  name, shape, module.connections(), "bloomguard", Duration.ofMinutes(10), null),
              RedisTestBase.SECRET,
              KeyHash.SIPHASH_1_3,
              RedisTestBase.AT_ONCE);
      store.serveEmpty(shape);
      return new Counting(store, name);
    }

    @Override
    public void add(List<String> keys) {
      store.addAll(keys);
    }

    @Override
    public boolean[] check(List<String> keys) {
      Membership[] answers = store.checkAll(keys);
      boolean[] present = new boolean[answers.length];
      for (int i = 0; i < answers.length; i++) {
        assertThat(answers[i]).isIn(ABSENT, POSSIBLY_PRESENT);
        present[i] = answers[i] == POSSIBLY_PRESENT;
      }
      return present;
    }

    @Override
    public void remove(List<String> keys) {
      store.removeAll(keys, 0);
    }

    /** Of the image: head and journal do not grow with the filter. */
    @Override
    public long bytes() {
      return module.commands().keys("bloomguard:{" + name + ":0}:image:*").stream()
          .mapToLong(module.commands()::memoryUsage)
          .sum();
    }
  }

  private record Cuckoo(String key) implements Removable {

    static Cuckoo of(int bucketSize, int capacity) {
      String key = "cuckoo-" + bucketSize;
      module.commands().del(key);
      // With the module's own 20 steps to find a place, adds are refused long before it is full.
      module.bf(
          "CF.RESERVE",
          key,
          capacity,
          "BUCKETSIZE",
          bucketSize,
          "MAXITERATIONS",
          500,
          "EXPANSION",
          0);
      return new Cuckoo(key);
    }

    @Override
    public void add(List<String> keys) {
      if (keys.size() == 1) {
        module.bf("CF.ADD", key, keys.get(0));
        return;
      }
      assertThat(insert(keys)).containsOnly(1L);
    }

    /** For each key 1, or -1 if there was no place for it. */
    List<Object> insert(List<String> keys) {
      List<Object> arguments = new ArrayList<>(List.of(key, "NOCREATE", "ITEMS"));
      arguments.addAll(keys);
      return module.bf("CF.INSERT", arguments.toArray());
    }

    @Override
    public boolean[] check(List<String> keys) {
      List<Object> arguments = new ArrayList<>(List.of(key));
      arguments.addAll(keys);
      List<Object> answers = module.bf("CF.MEXISTS", arguments.toArray());
      boolean[] present = new boolean[answers.size()];
      for (int i = 0; i < present.length; i++) {
        present[i] = answers.get(i).equals(1L);
      }
      return present;
    }

    /** It has no command for many. */
    @Override
    public void remove(List<String> keys) {
      if (keys.size() == 1) {
        module.bf("CF.DEL", key, keys.get(0));
        return;
      }
      module
          .commands()
          .eval(
              "for _, each in ipairs(ARGV) do redis.call('CF.DEL', KEYS[1], each) end",
              ScriptOutputType.STATUS,
              new String[] {key},
              keys.toArray(new String[0]));
    }

    @Override
    public long bytes() {
      return module.commands().memoryUsage(key);
    }
  }

  @BeforeAll
  static void open() {
    module = BloomModule.open();
  }

  @AfterAll
  static void close() {
    if (module != null) {
      module.close();
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.001})
  void countersHaveTheRateThatIsAskedFor(double probability) {
    double rate = compare("counting, p = " + probability, Counting.of(probability));
    assertThat(rate).isBetween(probability * 0.8, probability * 1.2);
  }

  /** How full it is when it first refuses an add: the fewer places a bucket has, the sooner. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void aCuckooFilterRefusesAddsBeforeItIsFull(int bucketSize) {
    int capacity = 1 << 17;
    Cuckoo cuckoo = Cuckoo.of(bucketSize, capacity);
    List<String> keys = keys("key", capacity + 1);
    int taken = 0;
    for (boolean refused = false; !refused; ) {
      List<Object> answers = cuckoo.insert(keys.subList(taken, Math.min(taken + 100, keys.size())));
      int first = answers.indexOf(-1L);
      refused = first >= 0;
      taken += refused ? first : answers.size();
    }
    log.info(
        "cuckoo, {} in a bucket, first refuses an add {} % full",
        bucketSize, 100L * taken / capacity);
    assertThat(taken).isLessThan(capacity);
  }

  /** Its fingerprints have 8 bits, so its rate is about 2 x places / 255 x how full it is. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void aCuckooFilterHasTheRateOfItsBuckets(int bucketSize) {
    int capacity = bucketSize < 4 ? 2 * KEYS : KEYS;
    Cuckoo cuckoo = Cuckoo.of(bucketSize, capacity);
    double rate = compare("cuckoo, " + bucketSize + " in a bucket", cuckoo);
    long places = Long.highestOneBit(capacity - 1) * 2;
    double expected = 2.0 * bucketSize / 255 * KEYS / places;
    assertThat(rate).isBetween(expected * 0.7, expected * 1.3);
  }

  private static double compare(String name, Removable filter) {
    inBatches(keys("key", KEYS), filter::add);
    long bytes = filter.bytes();
    double rate = (double) present(filter, keys("absent", PROBES)) / PROBES;
    assertThat(present(filter, keys("key", KEYS))).isEqualTo(KEYS);

    List<String> timed = keys("timed", CALLS);
    String times =
        String.format(
            Locale.ROOT,
            "add %s, check %s, remove %s us",
            micros(timed, filter::add),
            micros(timed, filter::check),
            micros(timed, filter::remove));

    List<String> half = keys("key", KEYS / 2);
    inBatches(half, filter::remove);
    List<String> others = keys("key", KEYS).subList(KEYS / 2, KEYS);
    assertThat(present(filter, others)).as("a removal takes its own key alone").isEqualTo(KEYS / 2);
    double left = (double) present(filter, half) / half.size();

    inBatches(keys("stray", STRAY), filter::remove);
    int denied = KEYS / 2 - present(filter, others);
    log.info(
        "{}: {} bytes, {} bits a key, false positives {} %, removed that pass {} %, {}; after {}"
            + " removals of what was never added {} of {} are denied",
        name,
        bytes,
        String.format(Locale.ROOT, "%.1f", 8.0 * bytes / KEYS),
        String.format(Locale.ROOT, "%.3f", 100 * rate),
        String.format(Locale.ROOT, "%.3f", 100 * left),
        times,
        STRAY,
        denied,
        KEYS / 2);
    return rate;
  }

  /** The median time of a call with one key: for the caller, and in the server. */
  private static String micros(List<String> keys, Consumer<List<String>> call) {
    module.commands().configResetstat();
    long[] nanos = new long[keys.size()];
    for (int i = 0; i < nanos.length; i++) {
      List<String> one = List.of(keys.get(i));
      long begin = System.nanoTime();
      call.accept(one);
      nanos[i] = System.nanoTime() - begin;
    }
    Arrays.sort(nanos);
    return nanos[nanos.length / 2] / 1_000 + " (" + inServer(keys.size()) + ")";
  }

  /** The longest median in microseconds of commands that came as often: of scripts, their own. */
  private static double inServer(int calls) {
    Map<String, String> stats = new TreeMap<>();
    module.commands().info("commandstats").lines().forEach(line -> note(stats, line));
    stats.values().removeIf(each -> number(each, "calls=") < calls);
    Map<String, String> latencies = new TreeMap<>();
    module.commands().info("latencystats").lines().forEach(line -> note(latencies, line));
    latencies.keySet().retainAll(stats.keySet());
    return latencies.values().stream()
        .mapToDouble(each -> number(each, "p50="))
        .max()
        .orElseThrow();
  }

  private static double number(String fields, String name) {
    int from = fields.indexOf(name) + name.length();
    return Double.parseDouble(fields.substring(from, fields.indexOf(',', from)));
  }

  /** A line like {@code prefix_command:fields}. */
  private static void note(Map<String, String> fields, String line) {
    int colon = line.indexOf(':');
    if (colon > 0) {
      String name = line.substring(0, colon);
      fields.put(name.substring(name.lastIndexOf('_') + 1), line.substring(colon + 1));
    }
  }

  private static int present(Removable filter, List<String> keys) {
    int[] count = new int[1];
    inBatches(
        keys,
        batch -> {
          for (boolean each : filter.check(batch)) {
            count[0] += each ? 1 : 0;
          }
        });
    return count[0];
  }

  private static void inBatches(List<String> keys, Consumer<List<String>> call) {
    for (int from = 0; from < keys.size(); from += BATCH) {
      call.accept(keys.subList(from, Math.min(keys.size(), from + BATCH)));
    }
  }

  private static List<String> keys(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + ":" + i).toList();
  }
}
