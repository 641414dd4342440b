package io.bloomguard.it.faults;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A Redis, a database and three shops under traffic: what faults are made in. */
final class World implements AutoCloseable {

  /** The shops under traffic. */
  static final int SHOPS = 3;

  /** How long a rebuild may take before it counts as given up. */
  private static final int PATIENCE_SECONDS = 12;

  private static final int CROWDED = 30_000;

  /** Whether the shops have leased copies, as they do by default. */
  static final boolean COPIES = !"false".equals(System.getProperty("faults.copies"));

  private final Redis redis;
  private final Database database;
  private final Random random;
  private final Ledger ledger = new Ledger();
  private final List<Worker> workers = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private final List<Path> overrides;
  private final Traces traces;
  private final Traffic traffic;
  private final Codes codes;

  /**
   * Starts everything and waits until it runs well.
   *
   * @param seeded what stands before the library on the workers' class path, null for nothing
   */
  World(Redis redis, long seed, Path seeded) throws Exception {
    this.redis = redis;
    this.random = new Random(seed);
    this.database = new Database();
    this.overrides = seeded == null ? List.of() : List.of(seeded);
    arguments.add("--spring.datasource.url=" + database.url());
    if (!COPIES) {
      CopyFaults.COPIED.forEach(filter -> arguments.add(CopyFaults.withoutCopy(filter)));
    }
    for (int i = 0; i < SHOPS; i++) {
      String name = "shop-" + (i + 1);
      List<String> all = new ArrayList<>(redis.properties(i));
      all.addAll(arguments);
      workers.add(new Worker(name, overrides, all, redis.newClock(name)));
    }
    codes = new Codes(workers, database);
    traces = new Traces(redis, seed);
    traffic = new Traffic(workers, ledger, codes, traces, random);
    try {
      startAll();
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private void startAll() throws Exception {
    startWorkers();
    traffic.start();
    awaitNormal(90);
  }

  private void startWorkers() throws Exception {
    for (Worker worker : workers) {
      worker.start();
    }
    for (Worker worker : workers) {
      worker.awaitStarted();
    }
  }

  /** Ends all shops and starts them again. */
  void restartAll() throws Exception {
    for (Worker worker : workers) {
      worker.kill();
    }
    startWorkers();
  }

  Redis redis() {
    return redis;
  }

  Database database() {
    return database;
  }

  Random random() {
    return random;
  }

  Ledger ledger() {
    return ledger;
  }

  Traffic traffic() {
    return traffic;
  }

  /**
   * Ends the traffic, and judges what it and Redis did to the keys that were drawn; null for none.
   */
  Traces.Verdict judgeTraces() throws Exception {
    traffic.close();
    return traces.judge();
  }

  Codes codes() {
    return codes;
  }

  List<Worker> workers() {
    return workers;
  }

  Worker worker(int index) {
    return workers.get(index);
  }

  /**
   * One more shop, with other settings, that traffic leaves alone; the caller closes it.
   *
   * @param override a folder whose classes stand before the library's, null for none
   */
  Worker startAnother(String name, Path override, List<String> settings) throws Exception {
    Worker another = beginAnother(name, override, settings);
    another.awaitStarted();
    return another;
  }

  /** The same, which is there once {@link Worker#awaitStarted} returns. */
  Worker beginAnother(String name, Path override, List<String> settings) throws Exception {
    List<Path> folders = new ArrayList<>(override == null ? List.of() : List.of(override));
    folders.addAll(overrides);
    List<String> all = new ArrayList<>(redis.properties());
    all.addAll(arguments);
    Worker another = new Worker(name, folders, all, null);
    another.settings(settings);
    another.start();
    return another;
  }

  /** Lets time pass while traffic goes on. */
  void pause(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  /** Whether there are so many rows by now that everything takes long. */
  boolean isCrowded() {
    return ledger.size() > CROWDED;
  }

  /** Waits until so many more inserts were acknowledged. */
  void awaitInserts(int count) throws Exception {
    long from = traffic.tally().inserts.sum();
    Wait.upTo(20, count + " inserts", () -> traffic.tally().inserts.sum() >= from + count);
  }

  boolean isNormalWithin(long seconds) throws Exception {
    return Wait.within(seconds, traffic::isNormal);
  }

  private void awaitNormal(long seconds) throws Exception {
    if (!isNormalWithin(seconds)) {
      throw new IllegalStateException("Not normal in " + seconds + " s: " + traffic.pulses());
    }
  }

  /** Checks every row there is in every worker. */
  void sweep(String occasion) throws Exception {
    traffic.sweep(workers, database.ids("products"), occasion);
    codes.sweep(traffic.tally(), occasion);
  }

  /**
   * Asks a worker for a rebuild, again and again while another one runs, and waits for its end;
   * asks anew if it was given up.
   */
  void rebuild(Worker worker, String filter, int seconds) throws Exception {
    long before = generation(worker, filter);
    Callable<Boolean> ended = () -> serving(worker, filter) > before;
    Wait.upTo(
        seconds,
        "rebuild of " + filter,
        () -> {
          int status = worker.requestRebuild(filter).join();
          return status == 202 ? Wait.within(PATIENCE_SECONDS, ended) : ended.call();
        });
  }

  /**
   * The same until its end is reported, by a worker that may come to know of it later than of the
   * generation that serves.
   *
   * @param meanwhile what happens as soon as it has begun
   */
  void rebuildAndReport(Worker worker, String filter, int seconds, Fault.Strike meanwhile)
      throws Exception {
    String before = lastRebuild(worker, filter);
    Wait.upTo(20, "a rebuild begins", () -> worker.requestRebuild(filter).join() == 202);
    meanwhile.on(this);
    Wait.upTo(seconds, "end of a rebuild", () -> !lastRebuild(worker, filter).equals(before));
    if (!lastRebuild(worker, filter).contains("succeeded")) {
      throw new IOException("a rebuild ended as " + lastRebuild(worker, filter));
    }
  }

  /** What is reported of the last rebuild, empty for none. */
  private static String lastRebuild(Worker worker, String filter) throws Exception {
    String status = worker.status(filter);
    int at = status.indexOf("\"lastRebuild\":{");
    return at < 0 ? "" : status.substring(at, status.indexOf('}', at));
  }

  /** The number of the generation that serves, which may take a moment to be known. */
  static long generation(Worker worker, String filter) throws Exception {
    long[] found = new long[1];
    Wait.upTo(20, "a generation serves", () -> (found[0] = serving(worker, filter)) > 0);
    return found[0];
  }

  /** The same, 0 where none serves. */
  private static long serving(Worker worker, String filter) throws Exception {
    String status = worker.status(filter);
    int at = status.indexOf("\"generation\":");
    return at < 0 || !status.contains("\"state\":\"READY\"")
        ? 0
        : Long.parseLong(status.substring(at + 13).split("[,}]")[0].trim());
  }

  @Override
  public void close() throws Exception {
    traffic.close();
    traces.close();
    for (Worker worker : workers) {
      worker.close();
    }
    database.close();
    redis.close();
  }
}
