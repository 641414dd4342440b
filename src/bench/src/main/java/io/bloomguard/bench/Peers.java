package io.bloomguard.bench;

import static io.bloomguard.bench.BenchKeys.present;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.internal.journal.JournalMemory;
import java.nio.charset.StandardCharsets;
import java.util.function.LongUnaryOperator;
import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.xor.XorFuse8;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Filters in memory, ours and others', each filled with the first n present keys. */
final class Peers {

  /**
   * The hash that fastfilter's filters get of a String, since they take numbers only: wyhash, the
   * fastest of hash4j for short text. It has no secret.
   */
  static final Hasher64 HASH = Hashing.wyhashFinal4();

  /** The default hash of the library. */
  static final KeyHasher KEYED =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

  private Peers() {}

  /** The default bound on the journal of a filter. */
  static JournalMemory journal(String filter) {
    return JournalMemory.ofAll(JournalMemory.property(filter), JournalMemory.DEFAULT_BYTES);
  }

  /** The method that is about to be measured, so that only its filter need be filled. */
  static String contestant(BenchmarkParams run) {
    String method = run.getBenchmark();
    return method.substring(method.lastIndexOf('.') + 1);
  }

  static BlockedFilter bloomguard(Kind kind, int n, double p) {
    return bloomguard(Sizing.shape(Layout.BLOCKED, n, p), i -> KEYED.hash(kind.key(present(i))));
  }

  static BlockedFilter bloomguardIds(long n, double p) {
    return bloomguardIds(Sizing.shape(Layout.BLOCKED, n, p));
  }

  static BlockedFilter bloomguardIds(FilterShape shape) {
    return bloomguard(shape, i -> KEYED.hash(id(i)));
  }

  private static BlockedFilter bloomguard(FilterShape shape, LongUnaryOperator hash) {
    BlockedFilter filter = new BlockedFilter(shape, KEYED);
    BlockedFill fill = new BlockedFill(filter);
    BlockedFill.Lane lane = fill.lane();
    for (long i = 0; i < shape.expectedInsertions(); i++) {
      lane.addHash(hash.applyAsLong(i));
    }
    lane.flush();
    fill.finish();
    return filter;
  }

  static BloomFilter<CharSequence> guava(Kind kind, int n, double p) {
    BloomFilter<CharSequence> filter =
        BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), n, p);
    for (int i = 0; i < n; i++) {
      filter.put(kind.key(present(i)));
    }
    return filter;
  }

  static BloomFilter<Long> guavaIds(long n, double p) {
    BloomFilter<Long> filter = BloomFilter.create(Funnels.longFunnel(), n, p);
    for (long i = 0; i < n; i++) {
      filter.put(id(i));
    }
    return filter;
  }

  static BlockedBloom blockedBloom(Kind kind, int n, double p) {
    return BlockedBloom.construct(numbers(n, i -> hash(kind, i)), blockedBloomBits(p));
  }

  static BlockedBloom blockedBloomIds(int n, double p) {
    return BlockedBloom.construct(numbers(n, Peers::id), blockedBloomBits(p));
  }

  /** Has one false-positive probability only: 1 in 256. */
  static XorFuse8 fuse8(Kind kind, int n) {
    return XorFuse8.construct(numbers(n, i -> hash(kind, i)));
  }

  static XorFuse8 fuse8Ids(int n) {
    return XorFuse8.construct(numbers(n, Peers::id));
  }

  /** Bits a key with which four set bits a key reach 1 % and 0.1 %, as the table of rates shows. */
  static int blockedBloomBits(double p) {
    return p < 0.005 ? 22 : 11;
  }

  private static long id(long i) {
    return BenchKeys.id(present(i));
  }

  private static long hash(Kind kind, long i) {
    return HASH.hashCharsToLong(kind.key(present(i)));
  }

  private static long[] numbers(int n, LongUnaryOperator number) {
    long[] numbers = new long[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = number.applyAsLong(i);
    }
    return numbers;
  }
}
