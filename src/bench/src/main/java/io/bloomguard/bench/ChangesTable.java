package io.bloomguard.bench;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The price and the delay of changes that other programs commit. */
@Suite(
    order = 48,
    title = "Changes from Kafka",
    text =
        """
        An application whose filter of two million keys follows a topic with the records of Debezium, without a schema; the broker has a process of its own.
        `visibleMillisP50` and `visibleMillisP99` are from the sending of an insert, fifty a second, until a check finds the key. Then the broker's process writes half a
        million inserts at once, while the application reads: `changesPerSecond` are those applied by the clock, `changesPerProcessorSecond` by all processor time of the
        application.

        With the backend `redis`: what Redis is sent in a second by a feed that has nothing to apply beside that of the filter without one (`idle…`), for a
        batch of one change (`batch…`), for a write of one's own that comes back and is known, its note included (`own…`), and for each of many changes
        (`change…`). `…Commands` are those inside of scripts, too, `…Micros` Redis' processor time.
        """)
final class ChangesTable implements FigureTable {

  private static final int SINGLE = BenchForm.size(2_000, 20);
  private static final int MANY = BenchForm.size(500_000, 2_000);
  private static final long EVERY_NANOS = 20_000_000;
  private static final long IDLE_NANOS = BenchForm.size(10_000, 1_000) * 1_000_000L;
  private static final long PATIENCE_NANOS = 120_000_000_000L;
  private static final String COMMANDS = "cmdstat_(?!info|ping|hello|client)[^:]+:calls=([0-9]+)";

  private final List<Map<String, Object>> rows = new ArrayList<>();

  @Override
  public List<Map<String, Object>> rows() {
    try (KafkaNode kafka = new KafkaNode();
        BenchRedis redis = new BenchRedis()) {
      rows.add(row("local", kafka, redis));
      rows.add(row("redis", kafka, redis));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private static Map<String, Object> row(String backend, KafkaNode kafka, BenchRedis redis) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("backend", backend);
    double[] without = backend.equals("redis") ? idle(redis, backend) : new double[2];
    try (ConfigurableApplicationContext application =
        application(
            redis,
            backend,
            "bloomguard.filters.products.source.changes.from=kafka",
            "bloomguard.filters.products.source.changes.topic=" + KafkaNode.TOPIC,
            "bloomguard.filters.products.source.changes.key=id",
            "spring.kafka.bootstrap-servers=" + kafka.address())) {
      single(application, kafka, redis, row, without);
      many(application, kafka, redis, row);
    }
    if (backend.equals("local")) {
      row.keySet().removeIf(name -> name.startsWith("idle") || name.contains("Commands"));
      row.keySet().removeIf(name -> name.endsWith("Micros"));
    }
    System.out.println(row);
    return row;
  }

  /** What Redis is sent in a second without a feed. */
  private static double[] idle(BenchRedis redis, String backend) {
    try (ConfigurableApplicationContext application = application(redis, backend)) {
      return idle(application, redis);
    }
  }

  private static double[] idle(ConfigurableApplicationContext application, BenchRedis redis) {
    requireReady(application);
    double[] before = figures(redis);
    LockSupport.parkNanos(IDLE_NANOS);
    return perUnit(before, figures(redis), IDLE_NANOS / 1e9);
  }

  private static void single(
      ConfigurableApplicationContext application,
      KafkaNode kafka,
      BenchRedis redis,
      Map<String, Object> row,
      double[] without) {
    double[] idle = idle(application, redis);
    BloomGuard<Object> guard = application.getBean(BloomGuards.class).guard("products");
    FilterFeed feed = feed(application);
    double[] millis = new double[SINGLE];
    double[] batch;
    double[] own;
    try (KafkaProducer<byte[], byte[]> producer = KafkaNode.producer(kafka.address())) {
      batch =
          perChange(
              redis,
              idle,
              i -> {
                long key = 10_000_000L + i;
                long sent = System.nanoTime();
                producer.send(KafkaNode.inserted(key));
                // Redis is told nothing of these checks: a copy answers them.
                await(() -> guard.check(key) == Membership.POSSIBLY_PRESENT);
                millis[i] = (System.nanoTime() - sent) / 1e6;
              });
      own =
          perChange(
              redis,
              idle,
              i -> {
                long key = 10_000_000L + i;
                long applied = feed.applied(Change.Kind.INSERT);
                feed.wrote(KafkaNode.TRANSACTION, List.of(Long.toString(key)), List.of());
                producer.send(KafkaNode.inserted(key));
                await(() -> feed.applied(Change.Kind.INSERT) > applied);
              });
    }
    Arrays.sort(millis);
    row.put("visibleMillisP50", millis[SINGLE / 2]);
    row.put("visibleMillisP99", millis[(int) (SINGLE * 0.99)]);
    row.put("idleCommands", idle[0] - without[0]);
    row.put("idleMicros", idle[1] - without[1]);
    row.put("batchCommands", batch[0]);
    row.put("batchMicros", batch[1]);
    row.put("ownCommands", own[0]);
    row.put("ownMicros", own[1]);
  }

  /** What Redis is sent for each of many changes, beside that of an idle feed. */
  private static double[] perChange(BenchRedis redis, double[] idle, IntConsumer change) {
    double[] before = figures(redis);
    long began = System.nanoTime();
    for (int i = 0; i < SINGLE; i++) {
      LockSupport.parkNanos(began + i * EVERY_NANOS - System.nanoTime());
      change.accept(i);
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    double[] each = perUnit(before, figures(redis), SINGLE);
    return new double[] {
      each[0] - idle[0] * seconds / SINGLE, each[1] - idle[1] * seconds / SINGLE
    };
  }

  private static void many(
      ConfigurableApplicationContext application,
      KafkaNode kafka,
      BenchRedis redis,
      Map<String, Object> row) {
    FilterFeed feed = feed(application);
    long before = feed.applied(Change.Kind.INSERT);
    double[] from = figures(redis);
    long processor = processorNanos();
    long began = System.nanoTime();
    kafka.insert(20_000_000L, MANY);
    await(() -> feed.applied(Change.Kind.INSERT) - before >= MANY);
    long nanos = System.nanoTime() - began;
    double[] change = perUnit(from, figures(redis), MANY);
    row.put("changesPerSecond", MANY * 1e9 / nanos);
    row.put("changesPerProcessorSecond", MANY * 1e9 / (processorNanos() - processor));
    row.put("changeCommands", change[0]);
    row.put("changeMicros", change[1]);
  }

  private static ManagedFilter filter(ConfigurableApplicationContext application) {
    return application.getBean(ConfiguredFilters.class).all().get(0).managed();
  }

  private static FilterFeed feed(ConfigurableApplicationContext application) {
    return Objects.requireNonNull(filter(application).feed());
  }

  private static long processorNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Commands and microseconds of Redis' processor. */
  private static double[] figures(BenchRedis redis) {
    String info = redis.info();
    return new double[] {
      BenchRedis.sum(info, COMMANDS), 1e6 * BenchRedis.sum(info, "used_cpu_(?:sys|user):([0-9.]+)")
    };
  }

  private static double[] perUnit(double[] before, double[] after, double units) {
    return new double[] {(after[0] - before[0]) / units, (after[1] - before[1]) / units};
  }

  private static void requireReady(ConfigurableApplicationContext application) {
    await(() -> filter(application).status().state() == FilterState.READY);
    LockSupport.parkNanos(BenchForm.size(5_000, 100) * 1_000_000L); // its copy loads
  }

  private static void await(BooleanSupplier condition) {
    long began = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - began > PATIENCE_NANOS) {
        throw new IllegalStateException("It did not come");
      }
      LockSupport.parkNanos(100_000);
    }
  }

  private static ConfigurableApplicationContext application(
      BenchRedis redis, String backend, String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("spring.main.banner-mode=off");
    all.add("spring.data.redis.port=" + redis.port());
    all.add("logging.level.root=warn");
    all.add("bloomguard.backend=" + backend);
    all.add("bloomguard.hash-secret=00112233445566778899aabbccddeeff");
    all.add("bloomguard.filters.products.expected-insertions=2000000");
    all.add("bloomguard.filters.products.source.bean=keys");
    all.add("bloomguard.filters.products.warm-up.min-keys=0");
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties(all.toArray(new String[0]))
        .run();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    KeySource keys() {
      return sink -> {
        for (long id = 1; id <= 1_000; id++) {
          sink.accept(id);
        }
      };
    }
  }
}
