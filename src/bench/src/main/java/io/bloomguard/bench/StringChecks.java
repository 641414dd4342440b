package io.bloomguard.bench;

import com.google.common.hash.BloomFilter;
import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.internal.BlockedFilter;
import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.xor.XorFuse8;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;

/** The contestants that check one String at a time; what they are filled with, a subclass says. */
public abstract class StringChecks {

  private BlockedFilter bloomguard;
  private BloomFilter<CharSequence> guava;
  private BlockedBloom fastfilterBlocked;
  private XorFuse8 fastfilterFuse8;
  private String[] keys;

  /** Where a thread is in the keys: each begins elsewhere. */
  @State(Scope.Thread)
  public static class Walk {

    private int next;

    @Setup
    public void begin(ThreadParams thread) {
      next = thread.getThreadIndex() << 12;
    }
  }

  /**
   * @param lookups how many distinct keys are looked up, over and over: a power of two
   */
  final void fill(BenchmarkParams run, Kind kind, int n, double p, boolean present, int lookups) {
    switch (Peers.contestant(run)) {
      case "bloomguard" -> bloomguard = Peers.bloomguard(kind, n, p);
      case "guava" -> guava = Peers.guava(kind, n, p);
      case "fastfilterBlocked" -> fastfilterBlocked = Peers.blockedBloom(kind, n, p);
      case "fastfilterFuse8" -> fastfilterFuse8 = Peers.fuse8(kind, n);
      default -> throw new IllegalArgumentException(Peers.contestant(run));
    }
    keys = BenchKeys.sample(kind, lookups, n, present);
  }

  private String next(Walk walk) {
    return keys[walk.next++ & keys.length - 1];
  }

  @Benchmark
  public boolean bloomguard(Walk walk) {
    return bloomguard.mightContain(next(walk));
  }

  @Benchmark
  public boolean guava(Walk walk) {
    return guava.mightContain(next(walk));
  }

  @Benchmark
  public boolean fastfilterBlocked(Walk walk) {
    return fastfilterBlocked.mayContain(Peers.HASH.hashCharsToLong(next(walk)));
  }

  @Benchmark
  public boolean fastfilterFuse8(Walk walk) {
    return fastfilterFuse8.mayContain(Peers.HASH.hashCharsToLong(next(walk)));
  }
}
