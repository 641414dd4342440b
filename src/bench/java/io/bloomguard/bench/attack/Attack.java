package io.bloomguard.bench.attack;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The attack on every contestant, one after the other, and what it cost each. */
public final class Attack {

  /** The load that every contestant bears. */
  static final String COMMON = "common";

  /** The highest that a contestant bears. */
  static final String HIGHEST = "highest";

  private static final int SHOP_CORE = 0;
  private static final int GENERATOR_CORE = 1;

  /** The bound of a rate that is borne. */
  private static final long MAX_P99 = TimeUnit.MILLISECONDS.toNanos(100);

  private static final List<String> SHOP =
      List.of(
          "--server.address=127.0.0.1",
          "--server.tomcat.threads.max=" + Load.CONNECTIONS,
          "--server.tomcat.threads.min-spare=" + Load.CONNECTIONS,
          "--server.tomcat.max-keep-alive-requests=-1",
          "--server.tomcat.keep-alive-timeout=60s",
          "--spring.datasource.hikari.maximum-pool-size=10",
          "--spring.main.banner-mode=off");

  private final AttackForm form;

  private Attack(AttackForm form) {
    this.form = form;
  }

  /** The figures of all contestants, two rows each: the highest rate, and the common one. */
  public static List<Map<String, Object>> rows(boolean isShort) {
    try {
      return new Attack(isShort ? AttackForm.SHORT : AttackForm.FULL).rows();
    } catch (IOException | SQLException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private List<Map<String, Object>> rows() throws IOException, SQLException, InterruptedException {
    List<Map<String, Object>> rows = new ArrayList<>();
    try (Backends backends = new Backends(!form.pinned())) {
      if (form.pinned()) {
        backends.pin(SHOP_CORE);
      }
      for (ShopContestant contestant : ShopContestant.ALL) {
        if (form.pinned() || contestant.inShortForm()) {
          backends.reset();
          rows.addAll(rows(contestant, backends));
        }
      }
    }
    return rows;
  }

  private List<Map<String, Object>> rows(ShopContestant contestant, Backends backends)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(SHOP);
    arguments.addAll(backends.arguments());
    try (ShopProcess shop = new ShopProcess(contestant, form.jvm(), arguments)) {
      pin(shop.handle(), SHOP_CORE);
      shop.awaitReady();
      try (GeneratorProcess generator = new GeneratorProcess(shop.port())) {
        pin(generator.handle(), GENERATOR_CORE);
        Measurement measurement = new Measurement(contestant, backends, shop, generator);
        measurement.warmUp();
        double capacity = measurement.closed(form.warmUpSeconds());
        List<Map<String, Object>> rows =
            List.of(
                highest(measurement, generator, capacity),
                measurement.row(COMMON, form.commonRate(), form.commonSeconds()));
        measurement.requireNoFalseAbsent();
        return rows;
      }
    }
  }

  private void pin(ProcessHandle process, int core) throws IOException, InterruptedException {
    if (form.pinned()) {
      ProcessTime.pin(process, core);
    }
  }

  /**
   * Looks for the highest rate in steps of five per cent: by halves in short loads, and then, as
   * the figures are to be of a rate that lasts, downwards in a long one.
   */
  private Map<String, Object> highest(
      Measurement measurement, GeneratorProcess generator, double capacity)
      throws IOException, InterruptedException {
    int low = 0;
    int high = form.steps();
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (isBorne(generator.open(rate(capacity, middle), form.stepSeconds()))) {
        low = middle;
      } else {
        high = middle;
      }
    }
    while (true) {
      Map<String, Object> row =
          measurement.row(HIGHEST, rate(capacity, low), form.highestSeconds());
      if (!form.pinned() || isBorne(measurement.last()) || low <= -form.steps()) {
        return row;
      }
      low--;
    }
  }

  /** A step above or below half of what a closed loop gets, which no open one does. */
  private static int rate(double capacity, int step) {
    return Math.max(1, (int) (capacity / 2 * Math.pow(1.05, step)));
  }

  static boolean isBorne(LoadFigures figures) {
    return figures.answered() == figures.offered()
        && figures.p99() <= MAX_P99
        && figures.errors() * 1_000 <= figures.offered();
  }

  /** The figures of one contestant under one load after the other. */
  private static final class Measurement {

    private final ShopContestant contestant;
    private final Backends backends;
    private final ShopProcess shop;
    private final GeneratorProcess generator;
    private LoadFigures last;

    Measurement(
        ShopContestant contestant,
        Backends backends,
        ShopProcess shop,
        GeneratorProcess generator) {
      this.contestant = contestant;
      this.backends = backends;
      this.shop = shop;
      this.generator = generator;
      this.last = new LoadFigures(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** Puts the hot products where the contestant keeps them, and sees that it does. */
    void warmUp() throws IOException, InterruptedException {
      generator.hot();
      long before = shop.queries();
      generator.hot();
      if (contestant.caches() && shop.queries() - before > KeyMix.HOT / 2) {
        throw new IllegalStateException(contestant.name() + " keeps no products");
      }
    }

    double closed(double seconds) throws IOException {
      generator.closed(seconds / 2);
      return generator.closed(seconds / 2).rate();
    }

    LoadFigures last() {
      return last;
    }

    Map<String, Object> row(String load, int rate, double seconds)
        throws IOException, InterruptedException {
      long queries = shop.queries();
      long commands = backends.redisCommands();
      long shopMicros = shop.micros();
      long backendMicros = backends.micros();
      long generatorMicros = generator.micros();
      last = generator.open(rate, seconds);
      double requests = last.answered();
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("contestant", contestant.name());
      row.put("load", load);
      row.put("offered", rate);
      row.put("answered", Math.round(last.rate()));
      row.put("p50Millis", last.p50() / 1e6);
      row.put("p99Millis", last.p99() / 1e6);
      row.put("p999Millis", last.p999() / 1e6);
      row.put("generatorShare", (generator.micros() - generatorMicros) * 1e3 / last.nanos());
      row.put("latenessMillis", last.lateness() / 1e6);
      row.put("cpuMicros", (shop.micros() - shopMicros) / requests);
      row.put("backendMicros", (backends.micros() - backendMicros) / requests);
      row.put("queries", (shop.queries() - queries) * 1e3 / requests);
      row.put("redisCommands", (backends.redisCommands() - commands) / requests);
      row.put("falseAbsent", generator.falseAbsent());
      row.put("errors", last.errors());
      row.put("versions", shop.versions());
      System.out.println(row);
      return row;
    }

    void requireNoFalseAbsent() {
      if (contestant.ours() && generator.falseAbsent() > 0) {
        throw new IllegalStateException(
            contestant.name() + " rejected " + generator.falseAbsent() + " ids that were there");
      }
    }
  }
}
