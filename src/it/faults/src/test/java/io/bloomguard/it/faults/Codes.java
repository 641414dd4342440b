package io.bloomguard.it.faults;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Rows that come and go, whose keys are removed from their filter, and what is known of each. */
final class Codes {

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int FEW = 30;
  private static final int MANY = 60;

  private final List<Worker> workers;
  private final Database database;
  private final AtomicLong next = new AtomicLong(Database.FIRST_CODES);
  private final AtomicLong nextFirst = new AtomicLong();

  /** Ids whose removal may have taken effect or not, as far as anybody here knows. */
  private final Set<Long> doubtful = ConcurrentHashMap.newKeySet();

  /** Written while nobody may insert or delete. */
  private final ReadWriteLock changes = new ReentrantReadWriteLock();

  Codes(List<Worker> workers, Database database) {
    this.workers = workers;
    this.database = database;
  }

  /** Ids of rows from the beginning that nobody has asked for before. */
  List<Long> first(int count) {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(nextFirst.incrementAndGet());
    }
    if (nextFirst.get() > Database.FIRST_CODES) {
      throw new IllegalStateException("All rows from the beginning are used up");
    }
    return ids;
  }

  /** Checks every row there is in every worker, but those in doubt. */
  void sweep(Tally tally, String occasion) throws Exception {
    changes.writeLock().lock();
    try {
      List<Long> ids = database.ids("codes");
      ids.removeAll(doubtful);
      for (Worker worker : workers) {
        judge(ids, check(worker, ids), tally, worker.name(), occasion);
      }
    } finally {
      changes.writeLock().unlock();
    }
  }

  private static void judge(
      List<Long> ids, String letters, Tally tally, String worker, String occasion) {
    for (int i = 0; i < ids.size(); i++) {
      if (letters.charAt(i) == 'A') {
        tally.wrong(worker + " rejected code " + ids.get(i) + " " + occasion);
      }
    }
    tally.checks.add(ids.size());
    tally.undecided.add(letters.chars().filter(letter -> letter == 'U').count());
  }

  /** One letter an id. */
  static String check(Worker worker, List<Long> ids) throws Exception {
    return check(worker, ids, Duration.ofSeconds(15));
  }

  private static String check(Worker worker, List<Long> ids, Duration atMost) throws Exception {
    String answer = worker.ask("check codes together " + Traffic.joined(ids), atMost);
    if (answer.indexOf(' ') != ids.size()) {
      throw new IOException(answer);
    }
    return answer.substring(0, ids.size());
  }

  /** Whether no worker is in doubt about the filter any more. */
  boolean areDecidedWithin(long seconds) throws Exception {
    return Wait.within(
        seconds,
        () -> {
          for (Worker worker : workers) {
            if (!worker.isAlive() || check(worker, List.of(Ledger.FIRST_ABSENT)).equals("U")) {
              return false;
            }
          }
          return true;
        });
  }

  /** A writer that alone knows its rows, and how each of them went. */
  Owner owner() {
    return new Owner();
  }

  final class Owner {

    private final List<Long> rows = new ArrayList<>();
    private final List<Long> removed = new ArrayList<>();

    void step(Tally tally, Random random) throws Exception {
      changes.readLock().lock();
      try {
        if (rows.size() < FEW || (rows.size() < MANY && random.nextBoolean())) {
          insert(random);
        } else {
          delete(random, tally);
        }
        check(worker(random), tally);
      } finally {
        changes.readLock().unlock();
      }
      Thread.sleep(40);
    }

    /** A row that was never there, or one that was deleted. */
    private void insert(Random random) throws Exception {
      boolean again = !removed.isEmpty() && random.nextInt(3) == 0;
      long id = again ? removed.remove(random.nextInt(removed.size())) : next.incrementAndGet();
      if (worker(random).ask("code insert " + id, PATIENCE).equals("ok")) {
        rows.add(id);
      }
    }

    private void delete(Random random, Tally tally) throws Exception {
      List<Long> ids = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        ids.add(rows.remove(random.nextInt(rows.size())));
      }
      doubtful.addAll(ids);
      boolean kept = random.nextInt(5) == 0;
      String what = kept ? "code keep " : "code delete ";
      if (worker(random).ask(what + Traffic.joined(ids), PATIENCE).equals("ok")) {
        doubtful.removeAll(ids);
        (kept ? rows : removed).addAll(ids);
        tally.removals.add(kept ? 0 : ids.size());
      }
    }

    private void check(Worker worker, Tally tally) throws Exception {
      if (!rows.isEmpty()) {
        String letters = Codes.check(worker, rows, PATIENCE);
        judge(rows, letters, tally, worker.name(), "after " + removed.size() + " others went");
      }
    }

    private Worker worker(Random random) {
      return workers.get(random.nextInt(workers.size()));
    }
  }
}
