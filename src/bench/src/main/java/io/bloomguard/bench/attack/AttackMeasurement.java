package io.bloomguard.bench.attack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The figures of one contestant under one load after the other. */
final class AttackMeasurement {

  private final ShopContestant contestant;
  private final Backends backends;
  private final ShopProcess shop;
  private final GeneratorProcess generator;
  private LoadFigures last;

  AttackMeasurement(
      ShopContestant contestant, Backends backends, ShopProcess shop, GeneratorProcess generator) {
    this.contestant = contestant;
    this.backends = backends;
    this.shop = shop;
    this.generator = generator;
    this.last = new LoadFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** Puts the hot products where the contestant keeps them, sees that it does, and runs the mix. */
  void warmUp(AttackForm form) throws IOException, InterruptedException {
    generator.hot();
    long before = shop.queries();
    generator.hot();
    if (contestant.caches() && shop.queries() - before > KeyMix.HOT / 2) {
      throw new IllegalStateException(contestant.name() + " keeps no products");
    }
    generator.closed(form.rushSeconds());
    generator.open(form.commonRate(), form.calmSeconds());
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
    long loadMicros = loadMicros();
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
    row.put("generatorShare", (loadMicros() - loadMicros) * 1e3 / last.nanos());
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

  /** What becomes of the shop in a flood, at each interval. */
  List<Map<String, Object>> flood(Flood flood) throws IOException, InterruptedException {
    List<Map<String, Object>> rows = new ArrayList<>();
    long queries = shop.queries();
    generator.begin(flood);
    for (int second = flood.interval(); second <= flood.seconds(); second += flood.interval()) {
      LoadFigures figures = generator.next();
      long before = queries;
      queries = shop.queries();
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("second", second);
      row.put("contestant", contestant.name());
      row.put("redisMiB", backends.redisMemory() / 1048576.0);
      row.put("queriesPerSecond", (double) (queries - before) / flood.interval());
      // An answer may be to a request of the interval before.
      double inTime = Math.min(1, (double) figures.inTime() / figures.offered());
      row.put("usersInTimePercent", 100 * inTime);
      row.put("answersPerSecond", figures.rate());
      System.out.println(row);
      rows.add(row);
    }
    return rows;
  }

  /** Processor time of what runs on the core of the load. */
  private long loadMicros() throws IOException {
    return generator.micros() + backends.relayMicros();
  }

  void requireNoFalseAbsent() {
    if (contestant.ours() && generator.falseAbsent() > 0) {
      throw new Attack.FalseAbsentException(
          contestant.name() + " rejected " + generator.falseAbsent() + " ids that were there");
    }
  }
}
