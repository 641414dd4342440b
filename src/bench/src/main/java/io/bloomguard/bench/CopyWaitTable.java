package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** The price of an insert while processes have copies of the filter. */
@Suite(
    order = 45,
    title = "An insert, and the copies that it waits for",
    brief =
        """
        The add of one new key to a filter in Redis until no copy may lack it, with that many copies in other processes, by one writer that rests between its inserts.
        `aboveRoundTrips` is what they add, in round trips to Redis. A copy whose process has stopped holds up one insert until its lease has run out, a second.
        """,
    shown = "load=40 a second",
    columns = {"copies", "p50Micros", "p99Micros", "aboveRoundTrips"},
    text =
        """
        The add of one new key to a filter in Redis (`addEach` of the backend), from its start until no copy may lack the key. The writer has a
        copy of its own, as every process has by default; `copies` is the number of those of other processes. They are real ones in two
        processes beside the writer: one copy alone in the one, which is the one that is stopped (SIGSTOP), the others in the second, each
        with connections, thread and heap of its own. Writer, copies and Redis share this machine's cores.

        `40 a second` is one writer that rests between its inserts; `32 writers` and `1 writer` do not rest, and so meet the bound on the polls of all copies,
        4,000 a second. `roundTripMicros` is the median of a PING by the same process at the same pace, `aboveRoundTrips` the median of the
        insert above that without copies, in such round trips. `redisMicros` is Redis' processor time for an insert, and `scripts` the
        scripts, those of the copies included.

        `first after a stop` is one insert: it waits until the lease of the stopped copy has run out, and strikes it. `while one is
        stopped` are those after it.
        """)
final class CopyWaitTable implements FigureTable {

  private static final int KEYS = BenchForm.size(100_000, 2_000);
  private static final int[] COPIES =
      BenchForm.isShort() ? new int[] {0, 2} : new int[] {0, 1, 3, 10, 50};
  private static final int WRITERS = 32;
  private static final int PACED = BenchForm.size(320, 5);
  private static final long PACE = 25_000_000;
  private static final long WARM_UP = BenchForm.size(3_000, 50) * 1_000_000L;
  private static final long MEASURED = BenchForm.size(4_000, 50) * 1_000_000L;

  private final List<Map<String, Object>> rows = new ArrayList<>();
  private final AtomicLong next = new AtomicLong(KEYS);
  private double alone;

  @Override
  public List<Map<String, Object>> rows() {
    try (BenchRedis redis = new BenchRedis()) {
      FilterShape shape = Sizing.blocked(KEYS, BenchRedis.P, 1);
      GenerationStore store =
          BenchRedis.bloomguard(redis.connections(), "products", shape, BenchRedis.COPY);
      BenchRedis.fill(store, shape, KEYS);
      for (int copies : COPIES) {
        rows(redis, store, copies);
      }
      store.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private void rows(BenchRedis redis, GenerationStore store, int copies) {
    List<CopyProcess> processes = new ArrayList<>();
    try {
      if (copies > 0) {
        processes.add(CopyProcess.start(redis.port(), "products", KEYS, 1));
      }
      if (copies > 1) {
        processes.add(CopyProcess.start(redis.port(), "products", KEYS, copies - 1));
      }
      BenchRedis.awaitRegistered(redis.connections(), "products", copies + 1);
      insert(store, 1, WARM_UP);
      paced(redis, store, copies, "40 a second");
      row(redis, copies, "1 writer", () -> insert(store, 1, MEASURED));
      row(redis, copies, WRITERS + " writers", () -> insert(store, WRITERS, MEASURED));
      if (copies > 0) {
        processes.get(0).halt();
        row(redis, copies, "first after a stop", () -> insert(store, 1, 1));
        paced(redis, store, copies, "while one is stopped");
        processes.get(0).resume();
      }
    } finally {
      processes.forEach(CopyProcess::close);
    }
  }

  private void paced(BenchRedis redis, GenerationStore store, int copies, String load) {
    Histogram pings = new Histogram(3);
    Map<String, Object> row =
        row(
            redis,
            copies,
            load,
            () -> {
              Histogram took = new Histogram(3);
              for (int i = 0; i < PACED; i++) {
                LockSupport.parkNanos(PACE / 2);
                long began = System.nanoTime();
                redis.connection().sync().ping();
                pings.recordValue(System.nanoTime() - began);
                LockSupport.parkNanos(PACE / 2);
                took.recordValue(add(store));
              }
              return took;
            });
    double roundTrip = pings.getValueAtPercentile(50) / 1e3;
    double p50 = (double) row.get("p50Micros");
    alone = copies == 0 ? p50 : alone;
    row.put("roundTripMicros", roundTrip);
    row.put("aboveRoundTrips", (p50 - alone) / roundTrip);
  }

  private Map<String, Object> row(
      BenchRedis redis, int copies, String load, Supplier<Histogram> inserts) {
    double spent = redisMicros(redis);
    double scripts = scripts(redis);
    long began = System.nanoTime();
    Histogram nanos = inserts.get();
    double seconds = (System.nanoTime() - began) / 1e9;
    long count = nanos.getTotalCount();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("copies", copies);
    row.put("load", load);
    row.put("p50Micros", nanos.getValueAtPercentile(50) / 1e3);
    row.put("p99Micros", nanos.getValueAtPercentile(99) / 1e3);
    row.put("perSecond", count / seconds);
    row.put("redisMicros", (redisMicros(redis) - spent) / count);
    row.put("scripts", (scripts(redis) - scripts) / count);
    rows.add(row);
    System.out.println(row);
    return row;
  }

  private Histogram insert(GenerationStore store, int writers, long nanos) {
    Histogram took = new ConcurrentHistogram(3);
    long end = System.nanoTime() + nanos;
    Thread[] threads = new Thread[writers];
    for (int i = 0; i < writers; i++) {
      threads[i] =
          new Thread(
              () -> {
                do {
                  took.recordValue(add(store));
                } while (System.nanoTime() - end < 0);
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return took;
  }

  private long add(GenerationStore store) {
    List<String> key = List.of(Kind.IDS.key(BenchKeys.present(next.getAndIncrement())));
    long began = System.nanoTime();
    store.addEach(key);
    return System.nanoTime() - began;
  }

  private static double redisMicros(BenchRedis redis) {
    return 1e6 * BenchRedis.sum(redis.info(), "used_cpu_(?:sys|user):([0-9.]+)");
  }

  private static double scripts(BenchRedis redis) {
    return BenchRedis.sum(redis.info(), "cmdstat_evalsha:calls=([0-9]+)");
  }
}
