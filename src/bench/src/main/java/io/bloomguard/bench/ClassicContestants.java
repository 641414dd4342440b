package io.bloomguard.bench;

import io.bloomguard.classic.internal.bitmap.SharedBitmap;
import io.bloomguard.classic.internal.bitmap.SharedBitmapStore;
import io.bloomguard.classic.internal.bloom.RawBloomFilter;
import io.bloomguard.classic.internal.bloom.SharedBloom;
import io.bloomguard.classic.internal.guava.GuavaFilter;
import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.classic.internal.hash.ClassicHash;
import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.classic.internal.subject.SubjectGenerations;
import io.bloomguard.classic.internal.window.WindowGenerations;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Makes each classic system and our own layout beside it, on a Redis that has nothing else. */
final class ClassicContestants {

  /** Of the filters that are made for one. */
  private static final double P = 0.01;

  private static final int BITS_A_WORD = 20;
  private static final int SEEDS = 14;
  private static final int GENERATIONS = 6;

  /** Single calls of a turn: nanoseconds in the heap, where a clock's reading would count. */
  private static final int IN_HEAP = 100;

  private static final int IN_REDIS = 10;

  private final int words;
  private final BenchRedis redis;

  private ClassicContestants(int words, BenchRedis redis) {
    this.words = words;
    this.redis = redis;
  }

  /**
   * Makes one after the other.
   *
   * @param words how many they are made for
   */
  static void forEach(int words, Consumer<Contestant> compare) throws IOException {
    try (BenchRedis redis = new BenchRedis();
        BenchRedis second = new BenchRedis()) {
      ClassicContestants contestants = new ClassicContestants(words, redis);
      compare.accept(contestants.setbit("SETBIT, one by one", false));
      compare.accept(contestants.setbit("SETBIT, pipelined", true));
      compare.accept(contestants.seeded("redis-bitmap, bkdr-seeded", List.of(redis)));
      compare.accept(contestants.seeded("redis-bitmap, 2 servers", List.of(redis, second)));
      compare.accept(contestants.families());
      compare.accept(contestants.counting());
      compare.accept(contestants.window());
      compare.accept(contestants.perSubject());
      compare.accept(contestants.local("local, counting", Layout.COUNTING));
      compare.accept(contestants.local("local, guava", Layout.GUAVA));
    }
    if (RedisBloom.isThere()) {
      try (BenchRedis module = BenchRedis.withModule()) {
        ClassicContestants contestants = new ClassicContestants(words, module);
        compare.accept(contestants.raw());
      }
    }
  }

  private Contestant setbit(String name, boolean pipelined) {
    long bits = (long) words * BITS_A_WORD;
    BitOffsets offsets = BitOffsets.seeded(bits, SEEDS);
    SetbitStore store = new SetbitStore(redis.connection(), redis.nextName(), offsets, pipelined);
    FilterShape shape = classic(bits, offsets, 1);
    return new Contestant(name, added(store, shape, () -> 0), ours(shape), IN_REDIS, false);
  }

  private Contestant seeded(String name, List<BenchRedis> servers) {
    long bits = (long) words * BITS_A_WORD / servers.size();
    return bitmap(name, BitOffsets.seeded(bits, SEEDS), bits, servers);
  }

  private Contestant families() {
    long bits = (long) words * BITS_A_WORD;
    List<ClassicHash> hashes = List.of(ClassicHash.BKDR, ClassicHash.SDBM, ClassicHash.JS);
    BitOffsets offsets = BitOffsets.of(bits, hashes);
    return bitmap("redis-bitmap, bkdr,sdbm,js", offsets, bits, List.of(redis));
  }

  private Contestant bitmap(String name, BitOffsets offsets, long bits, List<BenchRedis> servers) {
    FilterShape shape = classic(bits, offsets, servers.size());
    String key = redis.nextName();
    SharedBitmap bitmap =
        new SharedBitmap(
            key,
            shape,
            key,
            true,
            offsets,
            new StringChoice(servers.size(), 1),
            servers.stream().map(BenchRedis::connections).toList(),
            false,
            true,
            false,
            KeyFolding.EXACT);
    SharedBitmapStore store =
        new SharedBitmapStore(
            bitmap, RedisEnforcement.beside(key, redis.connections(), BenchRedis.PREFIX), null);
    Side theirs =
        added(
            store,
            shape,
            () -> servers.stream().mapToLong(server -> server.bytes(key + ".0")).sum());
    return new Contestant(name, theirs, ours(shape), IN_REDIS, true);
  }

  /** Of a classic whose formula gives its false-positive probability. */
  private FilterShape classic(long bits, BitOffsets offsets, int strings) {
    FilterShape any = classic(bits, offsets, strings, P);
    return classic(bits, offsets, strings, any.falsePositiveProbabilityAt(words));
  }

  private FilterShape classic(long bits, BitOffsets offsets, int strings, double p) {
    long reachable = offsets.reachable() * strings;
    return new FilterShape(Layout.CLASSIC, words, p, bits, 0, offsets.count(), reachable);
  }

  private Contestant raw() {
    FilterShape shape = Sizing.shape(Layout.CLASSIC, words, P);
    String key = redis.nextName();
    RawBloomFilter store =
        new RawBloomFilter(
            new SharedBloom(key, key, shape, true, 0),
            KeyFolding.EXACT,
            redis.connections(),
            BenchRedis.PREFIX);
    store.serveEmpty(shape);
    Side theirs =
        new Side(
            i -> store,
            null,
            shape,
            shape.falsePositiveProbabilityAt(words),
            () -> redis.bytes(key));
    return new Contestant("redis-bloom, raw", theirs, ours(shape), IN_REDIS, true);
  }

  private Contestant counting() {
    FilterShape shape = Sizing.shape(Layout.COUNTING, words, P);
    Side theirs = Side.built(redis.bloomguard(redis.nextName(), shape), shape);
    return new Contestant("redis, counting", theirs, ours(shape), IN_REDIS, true);
  }

  /** Its generations are full, the last one almost: each that is begins the next one. */
  private Contestant window() {
    Window window = new Window(Duration.ofDays(1000), GENERATIONS);
    double p = window.ofGeneration(P);
    FilterShape shape = Sizing.blocked(words / GENERATIONS, p, Sizing.fewestBlockWords(P));
    WindowGenerations store = redis.window(shape, window, 1.005 * shape.designFillRatio());
    double[] full = new double[GENERATIONS];
    Arrays.fill(full, shape.falsePositiveProbabilityAt(words / GENERATIONS));
    Side theirs =
        new Side(
            i -> store,
            null,
            shape,
            Window.ofWindow(full),
            () -> {
              store.status();
              return store.window().sizeBytes();
            });
    Side ours = ours(Sizing.shape(Layout.CLASSIC, words, P));
    return new Contestant("redis, window of 6", theirs, ours, IN_REDIS, true);
  }

  private Contestant perSubject() {
    FilterShape shape = Sizing.blocked(Side.BATCH, P, Sizing.fewestBlockWords(P));
    SubjectGenerations store = redis.subjects(shape, words / Side.BATCH + 1);
    Side theirs =
        new Side(
            i -> store.of("subject-" + i / Side.BATCH),
            null,
            shape,
            shape.falsePositiveProbabilityAt(Side.BATCH),
            () -> {
              store.heartbeat();
              return store.totals().bytes();
            });
    Side ours = ours(Sizing.shape(Layout.CLASSIC, words, P));
    return new Contestant("redis, per-subject", theirs, ours, IN_REDIS, true);
  }

  private Contestant local(String name, Layout layout) {
    FilterShape shape = Sizing.shape(layout, words, P);
    return new Contestant(
        name, local(shape), local(Sizing.shape(Layout.BLOCKED, words, P)), IN_HEAP, true);
  }

  private static Side local(FilterShape shape) {
    LocalGenerations store =
        new LocalGenerations(
            "words",
            each ->
                each.layout() == Layout.GUAVA
                    ? GuavaFilter.create(each)
                    : MembershipFilters.create(each, Peers.KEYED),
            shape,
            Duration.ofMinutes(10),
            Peers.journal("words"),
            0,
            System::nanoTime,
            null);
    return Side.built(store, shape);
  }

  /** Our own layout for the same words at the same false-positive probability. */
  private Side ours(FilterShape theirs) {
    double p = theirs.falsePositiveProbability();
    FilterShape shape = Sizing.blocked(words, p, Sizing.fewestBlockWords(p));
    return Side.built(redis.bloomguard(redis.nextName(), shape), shape);
  }

  private static Side added(MembershipStore store, FilterShape shape, LongSupplier bytes) {
    return new Side(i -> store, null, shape, shape.falsePositiveProbability(), bytes);
  }
}
