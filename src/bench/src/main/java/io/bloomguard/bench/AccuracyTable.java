package io.bloomguard.bench;

import io.bloomguard.classic.internal.guava.GuavaFilter;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.MembershipFilter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import org.fastfilter.Filter;

/** Bits per key and the measured share of absent keys that pass, of filters that are just full. */
@Suite(
    order = 5,
    title = "Bits per key and false positives",
    brief =
        """
        Filters of a million keys at 1 %, checked for two million others. `overClassic` is a filter's bits over those of Bloom's own with the best number of hashes. `blocked` is the default;
        fastfilter's filters take no probability.
        """,
    shown = {"keys=1000000", "configured=0.01"},
    columns = {"contestant", "bitsPerKey", "overClassic", "measured", "error"},
    text =
        """
        Each filter is filled with as many keys as it is made for, then checked for two million
        other keys. `overClassic` is its bits over those of Bloom's own filter with the best number of
        hashes at the configured probability. `error` is the standard error of the measurement;
        `errorsAbove` is the number of standard errors by which the measured rate exceeds the configured one:
        more than 3 would be a broken promise.
        `blocked` is the layout by default; the number of words in a block is that of the
        alternatives, and `guava` the layout on Guava's own filter. fastfilter's filters take no probability: the blocked one gets the
        bits a key that reach it with the four bits that each key sets; the fuse filter has 8-bit
        fingerprints and thus 0.4 % always.
        """,
    plots =
        @Suite.Plot(
            title = "Bits over the classic optimum, 1M keys",
            where = "keys=1000000",
            of = "overClassic"))
final class AccuracyTable implements FigureTable {

  private static final int[] SIZES =
      BenchForm.isShort() ? new int[] {10_000} : new int[] {10_000, 100_000, 1_000_000, 20_000_000};
  private static final int PROBES = BenchForm.size(2_000_000, 10_000);
  private static final double[] PROBABILITIES = {0.01, 0.001};
  private static final double FUSE = 1 / 256.0;

  private final List<Map<String, Object>> rows = new ArrayList<>();

  @Override
  public List<Map<String, Object>> rows() {
    for (double p : PROBABILITIES) {
      for (int n : SIZES) {
        blocked("blocked", Sizing.shape(Layout.BLOCKED, n, p));
        for (int words = 1; words <= 8; words *= 2) {
          blocked("blocked, words " + words, Sizing.blocked(n, p, words));
        }
        guava(Sizing.shape(Layout.GUAVA, n, p));
        theirs("fastfilterBlocked", n, p, Peers.blockedBloomIds(n, p));
        if (p > FUSE) {
          theirs("fastfilterFuse8", n, FUSE, Peers.fuse8Ids(n));
        }
      }
    }
    return rows;
  }

  private void blocked(String name, FilterShape shape) {
    row(name, shape, Peers.bloomguardIds(shape));
  }

  private void guava(FilterShape shape) {
    MembershipFilter filter = GuavaFilter.create(shape);
    for (long i = 0; i < shape.expectedInsertions(); i++) {
      filter.add(BenchKeys.id(BenchKeys.present(i)));
    }
    row("guava", shape, filter);
  }

  private void row(String name, FilterShape shape, MembershipFilter filter) {
    double p = shape.falsePositiveProbability();
    row(name, shape.expectedInsertions(), p, shape.bits(), filter::mightContain);
  }

  private void theirs(String name, int n, double p, Filter filter) {
    row(name, n, p, filter.getBitCount(), filter::mayContain);
  }

  private void row(String contestant, long n, double p, long bits, LongPredicate filter) {
    long passed = 0;
    for (long i = 0; i < PROBES; i++) {
      if (filter.test(BenchKeys.id(BenchKeys.absent(i)))) {
        passed++;
      }
    }
    double measured = (double) passed / PROBES;
    double error = Math.sqrt(measured * (1 - measured) / PROBES);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("keys", String.valueOf(n));
    row.put("contestant", contestant);
    row.put("configured", p == FUSE ? "1/256" : String.valueOf(p));
    row.put("bitsPerKey", (double) bits / n);
    row.put("overClassic", (double) bits / Sizing.classicBits(n, p));
    row.put("measured", measured);
    row.put("error", error);
    row.put("errorsAbove", (measured - p) / error);
    rows.add(row);
  }
}
