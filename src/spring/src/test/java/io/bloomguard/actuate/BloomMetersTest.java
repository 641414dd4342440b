package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.ReplicatedStore.CopyWaits;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.GuardListener.MutexResult;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.Reference;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The meters as Prometheus scrapes them. */
class BloomMetersTest {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final BloomTimers timers = new BloomTimers(registry);
  private final AtomicLong nanos = new AtomicLong();
  private final TestFilters filters =
      new TestFilters()
          .with(
              "products",
              UnknownPolicy.OPEN,
              sink -> sink.accept(42L),
              Runnable::run,
              timers.rebuildListener("products"),
              timers.guardListener("products"));

  /** Held, or what it measures is collected. */
  private final BloomMeters meters = new BloomMeters(filters.operated(), nanos::get);

  BloomMetersTest() {
    meters.bindTo(registry);
  }

  @Test
  void everyMeterStandsAtZeroFromTheStartWithAllItsTags() {
    for (EntryPoint entry : EntryPoint.values()) {
      for (Outcome outcome : Outcome.values()) {
        assertThat(
                value(
                    "bloomguard_requests_total{entry=\"%s\",filter=\"products\",outcome=\"%s\"}"
                        .formatted(entry.tag(), outcome.tag())))
            .isZero();
      }
    }
    assertThat(value("bloomguard_filter_fill_ratio{filter=\"products\"}")).isZero();
    assertThat(value("bloomguard_filter_fpp_ratio{filter=\"products\",kind=\"configured\"}"))
        .isEqualTo(0.001);
    assertThat(value("bloomguard_filter_fpp_ratio{filter=\"products\",kind=\"expected\"}"))
        .isZero();
    assertThat(value("bloomguard_filter_elements{filter=\"products\"}")).isZero();
    assertThat(value("bloomguard_filter_capacity{filter=\"products\"}")).isEqualTo(1_000);
    assertThat(value("bloomguard_filter_size_bytes{filter=\"products\"}")).isPositive();
    assertThat(value("bloomguard_filter_state{filter=\"products\",state=\"empty\"}")).isOne();
    for (String state : List.of("warming", "ready", "doubtful", "failed")) {
      assertThat(
              value("bloomguard_filter_state{filter=\"products\",state=\"%s\"}".formatted(state)))
          .isZero();
    }
    assertThat(value("bloomguard_rebuild_progress_ratio{filter=\"products\"}")).isZero();
    assertThat(value("bloomguard_rebuild_last_success_timestamp_seconds{filter=\"products\"}"))
        .isZero();
    for (String outcome : List.of("acquired", "shared", "timeout")) {
      assertThat(
              value(
                  "bloomguard_mutex_wait_seconds_count{filter=\"products\",outcome=\"%s\"}"
                      .formatted(outcome)))
          .isZero();
    }
    for (String outcome : List.of("found", "absent", "error")) {
      assertThat(
              value(
                  "bloomguard_load_seconds_count{filter=\"products\",outcome=\"%s\"}"
                      .formatted(outcome)))
          .isZero();
    }
    for (String result : List.of("confirmed", "late", "spelling", "wrong")) {
      assertThat(
              value(
                  "bloomguard_verified_total{filter=\"products\",result=\"%s\"}".formatted(result)))
          .isZero();
    }
    assertThat(value("bloomguard_rebuild_seconds_count{filter=\"products\"}")).isZero();
    assertThat(value("bloomguard_rebuild_active_seconds_count{filter=\"products\"}")).isZero();
  }

  @Test
  void noOtherNameIsExported() {
    assertThat(
            registry
                .scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE"))
                .map(line -> line.split(" ", 4)[2])
                .filter(name -> !name.endsWith("_max")))
        .containsExactlyInAnyOrder(
            "bloomguard_requests_total",
            "bloomguard_verified_total",
            "bloomguard_false_positives_total",
            "bloomguard_filter_blacklist",
            "bloomguard_filter_rotates",
            "bloomguard_filter_fill_ratio",
            "bloomguard_filter_fpp_ratio",
            "bloomguard_filter_elements",
            "bloomguard_filter_capacity",
            "bloomguard_filter_size_bytes",
            "bloomguard_filter_journal_bytes",
            "bloomguard_filter_journal_limit_bytes",
            "bloomguard_filter_state",
            "bloomguard_rebuild_progress_ratio",
            "bloomguard_rebuild_last_success_timestamp_seconds",
            "bloomguard_mutex_wait_seconds",
            "bloomguard_load_seconds",
            "bloomguard_refresh_seconds",
            "bloomguard_rebuild_seconds",
            "bloomguard_rebuild_active_seconds");
  }

  @Test
  void showsWhatGuardAndRebuildDid() {
    operated().filter().requestRebuild(RebuildTrigger.REQUEST);
    BloomGuard<Object> guard =
        filters.guards().guard("products", "products", ValueType.of(Object.class), EntryPoint.API);
    guard.checkAll(List.of("42", "43"));
    guard.get(42L, () -> "a product");

    assertThat(value(requests("api", "passed"))).isOne();
    assertThat(value(requests("api", "rejected"))).isOne();
    assertThat(value(requests("api", "loaded"))).isOne();
    assertThat(value(requests("method", "loaded"))).isZero();
    assertThat(value("bloomguard_load_seconds_count{filter=\"products\",outcome=\"found\"}"))
        .isOne();
    assertThat(value("bloomguard_rebuild_seconds_count{filter=\"products\"}")).isOne();
    assertThat(value("bloomguard_rebuild_active_seconds_count{filter=\"products\"}")).isZero();
    assertThat(value("bloomguard_filter_elements{filter=\"products\"}")).isOne();
    assertThat(value("bloomguard_filter_state{filter=\"products\",state=\"ready\"}")).isOne();
    assertThat(value("bloomguard_rebuild_last_success_timestamp_seconds{filter=\"products\"}"))
        .isEqualTo(1_000);
  }

  @Test
  void readsTheStatusOnceASecond() {
    assertThat(value("bloomguard_filter_elements{filter=\"products\"}")).isZero();
    operated().filter().requestRebuild(RebuildTrigger.REQUEST);
    nanos.set(999_999_999);
    assertThat(value("bloomguard_filter_elements{filter=\"products\"}")).isZero();
    nanos.set(1_000_000_000);
    assertThat(value("bloomguard_filter_elements{filter=\"products\"}")).isOne();
  }

  @Test
  void readsTheStatusOnceAScrapeThoughTheReadTakesASecond() {
    AtomicInteger reads = new AtomicInteger();
    OperatedFilter known = operated();
    FilterStore slow =
        observed(
            known.filter().store(),
            () -> {
              reads.incrementAndGet();
              nanos.addAndGet(1_000_000_000);
            });
    ManagedFilter filter =
        TestGenerations.managed(
            known.filter().settings(),
            slow,
            null,
            Runnable::run,
            () -> Instant.EPOCH,
            RebuildListener.NONE);
    PrometheusMeterRegistry scraped = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    BloomMeters meters =
        new BloomMeters(
            new OperatedFilters(
                List.of(new OperatedFilter(filter, known.guarded(), known.cache()))),
            nanos::get);
    try {
      meters.bindTo(scraped);
      scraped.scrape();
      assertThat(reads).hasValue(1);
      nanos.addAndGet(1_000_000_000);
      scraped.scrape();
      assertThat(reads).hasValue(2);
    } finally {
      Reference.reachabilityFence(meters);
    }
  }

  /** The same store, which says when its status is read. */
  private static FilterStore observed(FilterStore store, Runnable onStatus) {
    return (FilterStore)
        Proxy.newProxyInstance(
            FilterStore.class.getClassLoader(),
            new Class<?>[] {FilterStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("status")) {
                onStatus.run();
              }
              return method.invoke(store, arguments);
            });
  }

  @Test
  void theLagOfAReplicaIsKnownWhereThereMayBeOne() {
    AtomicReference<Double> lag = new AtomicReference<>(Double.NaN);
    FilterStore local = operated().filter().store();
    AtomicReference<CopyWaits> waits = new AtomicReference<>(CopyWaits.NONE);
    ReplicatedStore replicated =
        (ReplicatedStore)
            Proxy.newProxyInstance(
                ReplicatedStore.class.getClassLoader(),
                new Class<?>[] {ReplicatedStore.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "replicaLagSeconds" -> lag.get();
                      case "copyWaits" -> waits.get();
                      default -> method.invoke(local, arguments);
                    });
    TestFilters shared = new TestFilters().over("shared", replicated);
    BloomMeters meters = new BloomMeters(shared.operated());
    try {
      meters.bindTo(registry);
      assertThat(value("bloomguard_replica_lag_seconds{filter=\"shared\"}")).isNaN();
      lag.set(0.25);
      assertThat(value("bloomguard_replica_lag_seconds{filter=\"shared\"}")).isEqualTo(0.25);
      assertThat(registry.scrape()).doesNotContain("lag_seconds{filter=\"products\"}");

      assertCopies(0, 0, 0, 0);
      waits.set(new CopyWaits(5, 1_500_000_000, 2, 3));
      assertCopies(5, 1.5, 2, 3);
      assertThat(registry.scrape()).doesNotContain("copies{filter=\"products\"}");
    } finally {
      Reference.reachabilityFence(meters);
    }
  }

  private void assertCopies(double waits, double seconds, double expired, double copies) {
    assertThat(value("bloomguard_copies_wait_seconds_count{filter=\"shared\"}")).isEqualTo(waits);
    assertThat(value("bloomguard_copies_wait_seconds_sum{filter=\"shared\"}")).isEqualTo(seconds);
    assertThat(value("bloomguard_copies_expired_total{filter=\"shared\"}")).isEqualTo(expired);
    assertThat(value("bloomguard_copies{filter=\"shared\"}")).isEqualTo(copies);
  }

  @Test
  void timesEachOutcomeApart() {
    var listener = timers.guardListener("orders");
    listener.onLoad().onEnd(LoadResult.ABSENT, 2_000_000_000L);
    listener.onMutexWait(MutexResult.TIMEOUT, 3_000_000_000L);
    listener.ofRefreshes().onLoad().onEnd(LoadResult.ERROR, 4_000_000_000L);
    assertThat(value(load("load", "sum", "absent"))).isEqualTo(2);
    assertThat(value(load("load", "count", "found"))).isZero();
    assertThat(value(load("load", "count", "error"))).isZero();
    assertThat(value(load("refresh", "sum", "error"))).isEqualTo(4);
    assertThat(value("bloomguard_mutex_wait_seconds_sum{filter=\"orders\",outcome=\"timeout\"}"))
        .isEqualTo(3);
  }

  private static String load(String meter, String of, String outcome) {
    return "bloomguard_%s_seconds_%s{filter=\"orders\",outcome=\"%s\"}"
        .formatted(meter, of, outcome);
  }

  @Test
  void aRebuildIsActiveFromItsStartToItsEnd() {
    var listener = timers.rebuildListener("orders");
    listener.onStart("run", RebuildTrigger.REQUEST);
    assertThat(value("bloomguard_rebuild_active_seconds_count{filter=\"orders\"}")).isOne();
    Instant start = Instant.ofEpochSecond(10);
    listener.onEnd(
        new RebuildReport(
            "run",
            start,
            start.plusSeconds(5),
            7,
            RebuildOutcome.SUCCEEDED,
            RebuildTrigger.REQUEST,
            null));
    assertThat(value("bloomguard_rebuild_active_seconds_count{filter=\"orders\"}")).isZero();
    assertThat(value("bloomguard_rebuild_seconds_sum{filter=\"orders\"}")).isEqualTo(5);
  }

  private OperatedFilter operated() {
    return filters.operated().find("products").orElseThrow();
  }

  private static String requests(String entry, String outcome) {
    return "bloomguard_requests_total{entry=\"%s\",filter=\"products\",outcome=\"%s\"}"
        .formatted(entry, outcome);
  }

  /** The value of the one sample with that name and those labels. */
  private double value(String sample) {
    String scrape = registry.scrape();
    Stream<String> lines = scrape.lines().filter(line -> line.startsWith(sample + " "));
    List<String> found = lines.toList();
    assertThat(found).as(sample + " in\n" + scrape).hasSize(1);
    return Double.parseDouble(found.get(0).substring(sample.length() + 1));
  }
}
