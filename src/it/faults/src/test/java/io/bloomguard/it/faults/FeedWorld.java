package io.bloomguard.it.faults;

import io.bloomguard.it.support.Form;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Rows that another program writes, the way on which their changes come, and three shops that only
 * read.
 */
final class FeedWorld implements AutoCloseable {

  /** In Redis, on the heap, and with counters in Redis. */
  static final List<String> FILTERS = List.of("items", "near", "counted");

  private static final int WRITERS = 4;
  private static final int LOOKERS = 3;
  private static final long LOOK_EVERY_MILLIS = Form.of(75, 25);
  private static final int CHANGES_A_SECOND = Form.of(500, 1_000);
  private static final int CHANGES_A_STEP = 3;
  private static final int PAGE = 200;

  private final PostgresProcess database =
      new PostgresProcess(
          "create table items (id bigint primary key, code bigint not null unique, version bigint"
              + " not null)",
          "alter table items replica identity full");
  private final StandaloneRedis redis = new StandaloneRedis();
  private final FeedWay way;
  private final Rows rows;
  private final List<Worker> shops = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final FeedJudge judge;
  private final Random random;

  /** Whether all are asked for, so that nobody need ask for some. */
  private volatile boolean sweeping;

  private volatile boolean closed;

  /**
   * Starts everything and waits until it runs well.
   *
   * @param seeded what stands before the library on the shops' class path, null for nothing
   */
  FeedWorld(FeedWay.Kind kind, long seed, Path seeded) throws Exception {
    random = new Random(seed);
    way = kind.open();
    rows = new Rows(database, way);
    judge = new FeedJudge(rows);
    List<Path> overrides = seeded == null ? List.of() : List.of(seeded);
    for (int i = 0; i < World.SHOPS; i++) {
      List<String> arguments = new ArrayList<>(redis.properties(i));
      arguments.add("--spring.config.name=feed");
      arguments.add("--spring.datasource.url=" + database.url(i));
      arguments.addAll(way.arguments(i));
      FILTERS.forEach(filter -> arguments.addAll(settings(filter)));
      // It is small and full, so that one removal too many takes the key of another row along.
      arguments.add(
          "--bloomguard.filters.counted.expected-insertions=" + Rows.most(WRITERS) * 5 / 6);
      shops.add(new Worker("feed.FeedApplication", name(kind, i), overrides, arguments, null));
    }
    try {
      startAll();
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private static String name(FeedWay.Kind kind, int shop) {
    return kind.name().toLowerCase(Locale.ROOT) + "-feed-" + (shop + 1);
  }

  private static List<String> settings(String filter) {
    String prefix = "--bloomguard.filters." + filter + ".";
    return List.of(
        prefix + "source.jdbc.query=select code from items",
        prefix + "source.changes.key=code",
        prefix + "rebuild.cooldown=0s",
        prefix + "rebuild.max-shrink=1",
        prefix + "warm-up.min-keys=0",
        prefix + "verify.first=0",
        prefix + "verify.sample=0");
  }

  private void startAll() throws Exception {
    for (int i = 0; i < WRITERS; i++) {
      Rows.Owner owner = rows.owner();
      Random own = new Random(random.nextLong());
      threads.execute(() -> write(owner, own));
    }
    Wait.upTo(60, "first rows", () -> rows.changes() > 1_000);
    for (Worker shop : shops) {
      shop.start();
    }
    for (Worker shop : shops) {
      shop.awaitStarted();
    }
    awaitDecided(90);
    for (Worker shop : shops) {
      for (int i = 0; i < LOOKERS; i++) {
        Random own = new Random(random.nextLong());
        threads.execute(() -> look(shop, own));
      }
    }
  }

  private void write(Rows.Owner owner, Random own) {
    long pause = TimeUnit.SECONDS.toNanos(1) * WRITERS * CHANGES_A_STEP / CHANGES_A_SECOND;
    long next = System.nanoTime();
    try {
      while (!closed) {
        owner.step(own);
        next = Math.max(next + pause, System.nanoTime() - pause);
        TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      // The end.
    } catch (RuntimeException e) {
      judge.failed("a writer ended: " + e);
    }
  }

  private void look(Worker shop, Random own) {
    try {
      while (!closed) {
        if (!sweeping) {
          String filter = FILTERS.get(own.nextInt(FILTERS.size()));
          judge.look(shop, filter, rows.some(20, own), own);
        }
        Thread.sleep(LOOK_EVERY_MILLIS);
      }
    } catch (InterruptedException e) {
      // The end.
    } catch (RuntimeException e) {
      judge.failed("a reader ended: " + e);
    }
  }

  PostgresProcess database() {
    return database;
  }

  StandaloneRedis redis() {
    return redis;
  }

  /** The way, of a world that has this one. */
  Connector connector() {
    return (Connector) way;
  }

  Rows rows() {
    return rows;
  }

  FeedJudge judge() {
    return judge;
  }

  List<Worker> shops() {
    return shops;
  }

  Worker anyShop() {
    return shops.get(random.nextInt(shops.size()));
  }

  void pause(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  /** The shop that reads the changes of a filter in Redis: the one that applies some. */
  Worker reader(String filter) throws Exception {
    Worker[] found = new Worker[1];
    Wait.upTo(
        60,
        "a reader of " + filter,
        () -> {
          List<Long> before = new ArrayList<>();
          for (Worker shop : shops) {
            before.add(applied(shop, filter));
          }
          Thread.sleep(500);
          for (int i = 0; i < shops.size(); i++) {
            if (applied(shops.get(i), filter) > before.get(i)) {
              found[0] = shops.get(i);
            }
          }
          return found[0] != null;
        });
    return found[0];
  }

  /** The generation of a filter in Redis that serves, and the number of who reads its changes. */
  List<?> serving(String filter) throws IOException {
    List<?> head =
        (List<?>) redis.call("HMGET", "bloomguard:{" + filter + ":0}:head", "serving", "feed");
    return List.of(head.get(0), String.valueOf(head.get(1)).split("\\|")[0]);
  }

  static long applied(Worker shop, String filter) throws Exception {
    return Long.parseLong(shop.ask("applied " + filter));
  }

  /** Waits until no shop is in doubt about any filter. */
  void awaitDecided(long seconds) throws Exception {
    for (Worker shop : shops) {
      for (String filter : FILTERS) {
        Wait.upTo(seconds, shop.name() + " decides on " + filter, () -> decides(shop, filter));
      }
    }
  }

  static boolean decides(Worker shop, String filter) throws Exception {
    String letters = shop.ask("check " + filter + " " + FeedJudge.joined(FeedJudge.absent()));
    return letters.contains("A") && !letters.contains("U");
  }

  /** Has every shop asked for every row once no change is younger than a feed may be late. */
  void sweep() throws Exception {
    rows.quiet(
        () -> {
          pause(FeedJudge.MAX_LAG_MILLIS + 500);
          List<Long> all = rows.codes(true);
          sweeping = true;
          try {
            List<Callable<Void>> sweeps = new ArrayList<>();
            shops.forEach(shop -> sweeps.add(() -> sweep(shop, all)));
            for (Future<Void> swept : threads.invokeAll(sweeps)) {
              swept.get();
            }
          } finally {
            sweeping = false;
          }
          return null;
        });
  }

  private Void sweep(Worker shop, List<Long> all) throws InterruptedException {
    for (String filter : FILTERS) {
      for (int from = 0; from < all.size(); from += PAGE) {
        List<Long> page = all.subList(from, Math.min(all.size(), from + PAGE));
        judge.look(shop, filter, page, ThreadLocalRandom.current());
      }
    }
    return null;
  }

  @Override
  public void close() throws Exception {
    closed = true;
    threads.shutdownNow();
    for (Worker shop : shops) {
      shop.close();
    }
    way.close();
    database.close();
    redis.close();
  }
}
