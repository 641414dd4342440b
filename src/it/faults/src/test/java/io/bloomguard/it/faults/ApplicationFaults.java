package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Applications that are put together in another way than the shops are as a rule. */
final class ApplicationFaults {

  private static final List<String> OF_REDIS =
      List.of("products", "stock", "brief", "news", "codes");

  private static final int FALSE_POSITIVES = 20;

  /** Longer than a null entry of a shop lives, and than a row may be uncommitted. */
  private static final long NULLS_GONE_MILLIS = 4_000;

  private ApplicationFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.of(STANDALONE, "Redis away beside a local filter", ApplicationFaults::besideLocal)
            .losesCache()
            .excusing(12)
            .times(1, 2),
        Fault.of(STANDALONE, "filters in Redis, global backend local", ApplicationFaults::perFilter)
            .losesCache()
            .within(60)
            .times(0, 1),
        Fault.of(STANDALONE, "lazy and prototype beans", ApplicationFaults::otherScopes)
            .excusing(2)
            .times(0, 1),
        Fault.of(STANDALONE, "false positives get their rows", ApplicationFaults::learned)
            .excusing(2)
            .times(0, 1));
  }

  /** What needs no Redis goes on without it: checks, adds and rebuilds. */
  private static void besideLocal(World world) throws Exception {
    long fresh = world.ledger().fresh();
    NetworkFaults.onAll(world, FaultProxy::refuse);
    try {
      for (Worker worker : world.workers()) {
        expect(worker, "check near one 1," + fresh, "PA");
        if (!worker.ask("add near " + fresh).equals("ok")) {
          throw new IOException("the local filter takes no adds without Redis");
        }
        expect(worker, "check near one " + fresh, "P");
      }
      world.rebuild(world.worker(0), "near", 20);
      expect(world.worker(0), "check near one 1", "P");
    } finally {
      NetworkFaults.onAll(world, FaultProxy::open);
    }
  }

  /** Values, null entries and leases are where the filter is. */
  private static void perFilter(World world) throws Exception {
    List<String> settings = new ArrayList<>(List.of("--bloomguard.backend=local"));
    for (String filter : OF_REDIS) {
      settings.add("--bloomguard.filters." + filter + ".backend=redis");
    }
    restartAll(world, settings);
    try {
      long id = world.ledger().fresh();
      // A filter that passes the key, as a false positive does.
      world.worker(0).ask("put " + id);
      for (Worker worker : world.workers()) {
        expect(worker, "get " + id + " 0", "null");
      }
      if (!world.traffic().insert(world.worker(0), id, world.random())) {
        throw new IOException("an insert was refused");
      }
      for (Worker worker : world.workers()) {
        expect(worker, "get " + id + " 0", "value");
      }
    } finally {
      restartAll(world, List.of());
    }
  }

  private static void restartAll(World world, List<String> settings) throws Exception {
    world.workers().forEach(worker -> worker.settings(settings));
    world.restartAll();
    if (!world.isNormalWithin(60)) {
      throw new IOException("not normal after a restart");
    }
  }

  /** They are guarded like any other; where they cannot be, the shop does not start. */
  private static void otherScopes(World world) throws Exception {
    List<String> lazily = List.of("--spring.main.lazy-initialization=true");
    try (Worker odd = world.startAnother("shop-lazy", null, lazily)) {
      for (int i = 0; i < 10; i++) {
        for (String way : List.of("lazy", "prototype", "annotated", "alone")) {
          long id = world.ledger().fresh();
          expect(odd, "insert " + way + " " + id, "ok");
          world.ledger().acknowledge(id);
          world.traffic().sweep(world.workers(), List.of(id), "inserted by a bean " + way);
        }
      }
    }
    expectNoStart(world, List.of(lazily.get(0), "--spring.profiles.active=inert-lazy"));
    expectNoStart(world, List.of("--spring.profiles.active=inert-prototype"));
  }

  /**
   * A shop with a full filter of its own learns to reject what its loads did not find, and passes
   * it again at once when it is inserted.
   */
  private static void learned(World world) throws Exception {
    for (List<String> own :
        List.of(
            List.of("--bloomguard.filters.products.backend=local"),
            List.of(
                "--bloomguard.redis.key-prefix=full",
                "--bloomguard.filters.products.rebuild.journal-retention=2s"))) {
      List<String> settings = new ArrayList<>(own);
      settings.add("--bloomguard.filters.products.expected-insertions=1000");
      settings.add("--bloomguard.filters.products.false-positive-probability=0.3");
      try (Worker full = world.startAnother("shop-full", null, settings)) {
        Wait.upTo(30, "a decision", () -> !letters(full, List.of(1L)).equals("U"));
        List<Long> ids = new ArrayList<>();
        for (int probe = 0; probe < 1_000 && ids.size() < FALSE_POSITIVES; probe++) {
          long id = world.ledger().fresh();
          if (letters(full, List.of(id)).equals("P")) {
            ids.add(id);
          }
        }
        learn(full, ids);
        for (long id : ids) {
          expect(full, "insert annotated " + id, "ok");
          if (letters(full, List.of(id)).equals("A")) {
            world.traffic().tally().wrong("a learned false positive denies its row " + id);
          }
          expect(full, "get " + id + " 0", "value");
          // The other shops have another filter, and will be asked for all rows.
          expect(world.worker(0), "put " + id, "ok");
        }
      }
    }
  }

  private static void learn(Worker full, List<Long> ids) throws Exception {
    for (int round = 0; round < 6; round++) {
      for (long id : ids) {
        expect(full, "get " + id + " 0", "null");
      }
      if (letters(full, ids).matches("A{" + FALSE_POSITIVES + "}")) {
        return;
      }
      Thread.sleep(NULLS_GONE_MILLIS);
    }
    throw new IOException("not all false positives were learned: " + letters(full, ids));
  }

  private static String letters(Worker worker, List<Long> ids) throws Exception {
    String asked = ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    return worker.ask("check products one " + asked).split(" ")[0];
  }

  private static void expectNoStart(World world, List<String> settings) throws Exception {
    Worker started;
    try {
      started = world.startAnother("shop-inert", null, settings);
    } catch (IOException e) {
      return;
    }
    started.close();
    throw new IOException("a shop with an inert annotation starts: " + settings);
  }

  static void expect(Worker worker, String command, String expected) throws Exception {
    String answer = worker.ask(command);
    if (!answer.equals(expected) && !answer.startsWith(expected + " ")) {
      throw new IOException(worker.name() + " answered " + answer + " instead of " + expected);
    }
  }
}
