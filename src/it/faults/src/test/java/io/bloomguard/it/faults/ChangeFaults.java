package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Changes of secret, hash and partition count, and what goes wrong meanwhile. */
final class ChangeFaults {

  private static final String PRODUCTS = "--bloomguard.filters.products.";
  private static final String SECRET = "--bloomguard.hash-secret=";

  /** The secret of the shops' application.properties. */
  private static final String FIRST = "000102030405060708090a0b0c0d0e0f";

  private static final String OTHERS = "--bloomguard.other-hash-secrets=";

  /** A change waits for so long, because rows may commit so late. */
  private static final String RETENTION = PRODUCTS + "rebuild.journal-retention=4s";

  /** Longer than the wait and the build of a change together, as a rule. */
  private static final int CHANGE_MILLIS = 7_000;

  private ChangeFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("secret changes node by node", ChangeFaults::rollOut).losesCache().excusing(5),
        fault("process without the new secret", ChangeFaults::outsider).losesCache(),
        fault("kill -9 of who leads a change", ChangeFaults::leaderKilled).times(0, 2),
        fault("mark of a change lost", w -> during(w, ChangeFaults::loseMark)),
        fault("FLUSHALL in a change", w -> during(w, x -> x.redis().call("FLUSHALL"))).losesCache(),
        fault("kill -9 of Redis in a change, comes back empty", w -> during(w, ServerFaults::empty))
            .losesCache()
            .excusing(12),
        fault("kill -9 of Redis in a change, old RDB", w -> during(w, ServerFaults::oldDump))
            .losesCache()
            .excusing(12),
        fault("kill -9 of Redis in a change, RDB from before", ChangeFaults::dumpFromBefore)
            .losesCache()
            .excusing(12),
        fault("partition count grows", ChangeFaults::growth).excusing(1),
        fault("hash changes", ChangeFaults::anotherHash).excusing(1).times(1, 1));
  }

  /** Most start shops again, and each of them loads for itself until it is connected. */
  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike).excusing(3).within(60).times(0, 1).changingFilter();
  }

  /** As an operator does it. Traffic is on one filter, so only that one is built again. */
  private static void rollOut(World world) throws Exception {
    shortenRetention(world);
    String old = secret(world);
    String next = anySecret(world);
    oneByOne(world, List.of(RETENTION, SECRET + old, OTHERS + next));
    oneByOne(world, List.of(RETENTION, SECRET + next, OTHERS + old));
    Worker leader = world.worker(world.random().nextInt(world.workers().size()));
    new MigrationRun(world).run(leader);
    oneByOne(world, List.of(RETENTION, SECRET + next));
  }

  private static void oneByOne(World world, List<String> settings) throws Exception {
    for (Worker worker : world.workers()) {
      worker.settings(settings);
      worker.restart();
      world.awaitInserts(10);
    }
  }

  /** It may know nothing and take nothing, but never deny. */
  private static void outsider(World world) throws Exception {
    shortenRetention(world);
    String old = secret(world);
    restartAll(world, List.of(RETENTION, SECRET + anySecret(world), OTHERS + old));
    List<String> settings = List.of(RETENTION, SECRET + old);
    try (Worker outsider = world.startAnother("shop-outside", null, settings)) {
      MigrationRun change = new MigrationRun(world);
      change.begin(world.worker(0));
      Wait.upTo(
          MigrationRun.SECONDS,
          "the change",
          () -> {
            world.traffic().insert(outsider, world.ledger().fresh(), world.random());
            world
                .traffic()
                .sweep(List.of(outsider), world.ledger().latest(200), "without the secret");
            return change.isDone();
          });
      world.worker(0).ask("pause 0");
      expectNothingKnown(world, outsider);
    }
  }

  private static void expectNothingKnown(World world, Worker outsider) throws Exception {
    long fresh = world.ledger().fresh();
    if (world.traffic().insert(outsider, fresh, world.random())) {
      throw new IOException("an insert without the secret was taken");
    }
    List<Long> keys = new ArrayList<>(world.ledger().latest(20));
    keys.addAll(Ledger.absent(20, world.random()));
    String answer = outsider.ask("check products together " + Traffic.joined(keys));
    if (!answer.startsWith("U".repeat(keys.size()))) {
      throw new IOException("without the secret the answers are " + answer);
    }
  }

  private static void leaderKilled(World world) throws Exception {
    shortenRetention(world);
    MigrationRun change = new MigrationRun(world);
    try (Worker leader = another(world)) {
      change.begin(leader);
      change.awaitMark();
      world.pause(world.random().nextInt(CHANGE_MILLIS));
    }
    ProcessFaults.endLock(world);
    Wait.upTo(MigrationRun.SECONDS, "another goes on", change::isDone);
  }

  /** Something strikes at any moment of a change. */
  private static void during(World world, Fault.Strike strike) throws Exception {
    shortenRetention(world);
    try (Worker leader = another(world)) {
      MigrationRun change = new MigrationRun(world);
      change.begin(leader);
      change.awaitMark();
      world.pause(world.random().nextInt(CHANGE_MILLIS));
      strike.on(world);
      Wait.upTo(MigrationRun.SECONDS, "none is left half way", () -> MigrationRun.isNone(world));
    }
    ProcessFaults.endLock(world);
  }

  /** As if none had begun, for all who look now. */
  private static void loseMark(World world) throws Exception {
    String marked = MigrationRun.hashing(world);
    int end = marked.indexOf('>');
    if (end > 0) {
      world.redis().call("HSET", Redis.PARTITION + "head", "hashing", marked.substring(0, end));
    }
  }

  private static void dumpFromBefore(World world) throws Exception {
    shortenRetention(world);
    world.redis().call("SAVE");
    during(
        world,
        struck -> {
          RedisProcess redis = struck.redis().partition();
          redis.kill();
          redis.start(RedisProcess.Held.DUMP);
          redis.deleteDump();
        });
  }

  /** One node has a larger filter, or smaller strings, which is the same to it. */
  private static void growth(World world) throws Exception {
    ChangedLibrary library = new ChangedLibrary("small-strings");
    library.change(
        "java/io/bloomguard/redis/internal/generation/Limits.java",
        text -> text.replace("512L << 20", "64L << 10"));
    Path small = library.compiled();
    try (Worker leader = world.startAnother("shop-grown", small, settings(world, hash(world)))) {
      new MigrationRun(world).run(leader);
    }
    if (MigrationRun.hashing(world).endsWith(";1")) {
      throw new IOException("there is still one partition");
    }
  }

  private static void anotherHash(World world) throws Exception {
    try (Worker leader = another(world)) {
      new MigrationRun(world).run(leader);
    }
  }

  /** One more shop, which has another hash than the filter. */
  private static Worker another(World world) throws Exception {
    String hash = hash(world).equals("siphash-1-3") ? "siphash-2-4" : "siphash-1-3";
    return world.startAnother("shop-next", null, settings(world, hash));
  }

  private static List<String> settings(World world, String hash) {
    List<String> settings = new ArrayList<>(world.worker(0).settings());
    settings.remove(RETENTION);
    settings.addAll(List.of(RETENTION, PRODUCTS + "hash=" + hash));
    return settings;
  }

  private static String hash(World world) throws IOException {
    return MigrationRun.hashing(world).split(";")[1];
  }

  /** All shops with the short retention, and the secret among their settings. */
  private static void shortenRetention(World world) throws Exception {
    if (world.worker(0).settings().isEmpty()) {
      restartAll(world, List.of(RETENTION, SECRET + secret(world)));
    }
  }

  private static void restartAll(World world, List<String> settings) throws Exception {
    world.workers().forEach(worker -> worker.settings(settings));
    world.restartAll();
    if (!world.isNormalWithin(MigrationRun.SECONDS)) {
      throw new IOException("not normal after a restart");
    }
  }

  /** The one that the shops have now. */
  private static String secret(World world) {
    for (String setting : world.worker(0).settings()) {
      if (setting.startsWith(SECRET)) {
        return setting.substring(SECRET.length());
      }
    }
    return FIRST;
  }

  private static String anySecret(World world) {
    byte[] secret = new byte[16];
    world.random().nextBytes(secret);
    return HexFormat.of().formatHex(secret);
  }
}
