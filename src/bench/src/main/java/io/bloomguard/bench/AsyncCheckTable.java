package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.LocalEnforcement;
import io.bloomguard.guard.OwnedTypes;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import io.lettuce.core.BitFieldArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/** Many checks in Redis under way at a time, of threads that wait and of one that does not. */
@Suite(
    order = 42,
    title = "64 checks in Redis under way",
    text =
        """
        Redis on the loopback interface, 1 %, all keys in the filter. `check` is `BloomGuard.check` by 64 threads. The others
        have 64 checks under way from one thread: `checkAsync` of `BloomGuard`, and with Lettuce's asynchronous commands alone
        `bitfieldAsync`, one word a check, and `getbitAsync`, seven bits, one command each. The contestants take turns in short
        rounds; the figures are medians of the rounds. `cpuMicros` is the processor time of a check, Redis' included, and
        `ratio` that over the one of `check` in the same round.
        """)
final class AsyncCheckTable implements FigureTable {

  private static final int UNDER_WAY = 64;
  private static final int KEYS = BenchForm.size(1_000_000, 2_000);
  private static final int LOOKUPS = 1 << 14;
  private static final long ROUND_NANOS = BenchForm.size(300, 5) * 1_000_000L;
  private static final int ROUNDS = BenchForm.size(25, 1);
  private static final int WARM_UP = BenchForm.size(10, 0);
  private static final byte[] BITMAP = "bitmap".getBytes(US_ASCII);
  private static final com.sun.management.OperatingSystemMXBean SYSTEM =
      (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final String[] keys = BenchKeys.sample(Kind.IDS, LOOKUPS, KEYS, true);
  private final long size = Sizing.classicBits(KEYS, BenchRedis.P);

  /** Checks keys until a time, and returns how many. */
  private interface Way {

    long checkUntil(long end) throws InterruptedException;
  }

  /** The figures of one contestant's rounds. */
  private static final class Contestant {

    private final Way way;
    private final double[] perSecond = new double[ROUNDS];
    private final double[] cpuMicros = new double[ROUNDS];

    Contestant(Way way) {
      this.way = way;
    }

    void round(BenchRedis redis, int round) throws InterruptedException {
      long began = System.nanoTime();
      double spent = cpuMicros(redis);
      long checks = way.checkUntil(began + ROUND_NANOS);
      double nanos = System.nanoTime() - began;
      if (round >= 0) {
        perSecond[round] = checks / nanos * 1e9;
        cpuMicros[round] = (cpuMicros(redis) - spent) / checks;
      }
    }
  }

  @Override
  public List<Map<String, Object>> rows() {
    try (BenchRedis redis = new BenchRedis();
        GuardRegistry guards = guards(redis)) {
      BloomGuard<String> guard = guards.guard("products", String.class);
      Map<String, Contestant> contestants = new LinkedHashMap<>();
      contestants.put("check", threads(key -> BenchRedis.expectPresent(guard.check(key))));
      contestants.put(
          "checkAsync",
          later(key -> guard.checkAsync(key).thenApply(said -> BenchRedis.expectPresent(said))));
      RedisAsyncCommands<byte[], byte[]> commands = redis.connection().async();
      commands.setbit(BITMAP, size, 1).toCompletableFuture().join();
      contestants.put("bitfieldAsync", later(key -> bitfield(commands, key)));
      contestants.put("getbitAsync", later(key -> getbits(commands, key)));
      List<Contestant> order = new ArrayList<>(contestants.values());
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        Collections.rotate(order, 1);
        for (Contestant contestant : order) {
          contestant.round(redis, round);
        }
      }
      return table(contestants);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static GuardRegistry guards(BenchRedis redis) {
    FilterShape shape = Sizing.blocked(KEYS, BenchRedis.P, 1);
    GenerationStore store = redis.bloomguard("products", shape);
    BenchRedis.fill(store, shape, KEYS);
    Verification unverified =
        new Verification(
            "products",
            store,
            new LocalEnforcement(),
            FilterMode.ENFORCE,
            VerifySettings.OFF,
            Arrivals.NONE,
            RowKeys.NONE,
            Runnable::run,
            System::nanoTime);
    GuardedFilter filter =
        new GuardedFilter(
            "products",
            store,
            UnknownPolicy.OPEN,
            new OutcomeCounters(),
            GuardListener.NONE,
            DeniedKeyListener.NONE,
            Duration.ofMinutes(10),
            unverified,
            KeyFolding.EXACT,
            Rejection.ABSENT,
            null);
    Duration limit = Duration.ofSeconds(5);
    CacheSettings caches =
        new CacheSettings(
            Duration.ofMinutes(10),
            Duration.ofSeconds(30),
            0.2,
            100_000,
            100_000,
            Duration.ofSeconds(10),
            Duration.ZERO);
    return new GuardRegistry(
        List.of(filter),
        ValueCaches.alike(caches, name -> new LocalValueCache(caches, null)),
        new KeyRules(256),
        new LoadSettings(32, limit, limit, limit, 10_000, Duration.ofSeconds(30)),
        Transactions.NONE,
        new OwnedValues(() -> OwnedTypes.NONE),
        new KeyTypes(),
        PendingWrites.NONE,
        new LoadThreads(32, 10_000));
  }

  private Contestant threads(Consumer<String> check) {
    return new Contestant(
        end -> {
          LongAdder checks = new LongAdder();
          Thread[] threads = new Thread[UNDER_WAY];
          for (int i = 0; i < UNDER_WAY; i++) {
            int first = i << 8;
            threads[i] =
                new Thread(
                    () -> {
                      for (int next = first; System.nanoTime() - end < 0; next++) {
                        check.accept(keys[next & LOOKUPS - 1]);
                        checks.increment();
                      }
                    });
            threads[i].start();
          }
          for (Thread thread : threads) {
            thread.join();
          }
          return checks.sum();
        });
  }

  private Contestant later(Function<String, CompletionStage<?>> check) {
    return new Contestant(
        end -> {
          Semaphore room = new Semaphore(UNDER_WAY);
          LongAdder failed = new LongAdder();
          int checks = 0;
          while (System.nanoTime() - end < 0) {
            room.acquire();
            check
                .apply(keys[checks++ & LOOKUPS - 1])
                .whenComplete(
                    (answer, failure) -> {
                      failed.add(failure == null ? 0 : 1);
                      room.release();
                    });
          }
          room.acquire(UNDER_WAY);
          if (failed.sum() > 0) {
            throw new IllegalStateException(failed + " of " + checks + " checks failed");
          }
          return checks;
        });
  }

  private CompletionStage<?> bitfield(RedisAsyncCommands<byte[], byte[]> commands, String key) {
    int word = (int) (BenchRedis.bits(key, size)[0] & -Long.SIZE);
    return commands.bitfield(BITMAP, BitFieldArgs.Builder.get(BitFieldArgs.signed(64), word));
  }

  private CompletionStage<?> getbits(RedisAsyncCommands<byte[], byte[]> commands, String key) {
    return CompletableFuture.allOf(
        Arrays.stream(BenchRedis.bits(key, size))
            .mapToObj(bit -> commands.getbit(BITMAP, bit).toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  /** The processor time of this process and of Redis. */
  private static double cpuMicros(BenchRedis redis) {
    double seconds =
        redis
            .connection()
            .sync()
            .info("cpu")
            .lines()
            .filter(line -> line.matches("used_cpu_(sys|user):.*"))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
            .sum();
    return seconds * 1e6 + SYSTEM.getProcessCpuTime() / 1e3;
  }

  private static List<Map<String, Object>> table(Map<String, Contestant> contestants) {
    double[] first = contestants.get("check").cpuMicros;
    List<Map<String, Object>> rows = new ArrayList<>();
    contestants.forEach(
        (name, contestant) -> {
          double[] ratios = new double[ROUNDS];
          Arrays.setAll(ratios, round -> contestant.cpuMicros[round] / first[round]);
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("contestant", name);
          row.put("perSecond", median(contestant.perSecond));
          row.put("cpuMicros", median(contestant.cpuMicros));
          row.put("ratio", median(ratios));
          rows.add(row);
        });
    return rows;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
