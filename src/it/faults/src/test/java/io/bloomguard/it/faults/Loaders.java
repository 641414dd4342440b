package io.bloomguard.it.faults;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Herds for cold keys, and inserts between a database miss and its null entry. */
final class Loaders {

  private static final int CALLERS = 4;

  /** Longer than null-ttl x (1 + jitter) of the workers. */
  private static final long NULLS_GONE_MILLIS = 3_000;

  private final List<Worker> workers;
  private final Ledger ledger;
  private final Traffic traffic;
  private volatile boolean cacheKept = true;

  Loaders(List<Worker> workers, Ledger ledger, Traffic traffic) {
    this.workers = workers;
    this.ledger = ledger;
    this.traffic = traffic;
  }

  void cacheIsKept(boolean kept) {
    cacheKept = kept;
  }

  /** All workers ask for one cold key at once. */
  void herd(Random random) throws Exception {
    long id = ledger.cold();
    Loads.OfKey loads = Loads.anew(id);
    Tally tally = traffic.tally();
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int caller = 0; caller < CALLERS; caller++) {
      for (Worker worker : workers) {
        answers.add(worker.send("get " + id + " 20"));
      }
    }
    for (CompletableFuture<String> answer : answers) {
      if (answered(answer).equals("null")) {
        tally.wrong("the row of " + id + " was denied to a caller of get");
      }
    }
    tally.loads(loads.count(), loads.mostAtOnce());
    Thread.sleep(100);
  }

  /** One worker finds no row; another inserts it before the first can note so. */
  void insertDuringLoad(Random random) throws Exception {
    long id = ledger.fresh();
    Tally tally = traffic.tally();
    Worker reader = workers.get(random.nextInt(workers.size()));
    Worker writer = workers.get(random.nextInt(workers.size()));
    // A filter that passes the key, as a false positive does.
    if (!reader.ask("put " + id).equals("ok")) {
      Thread.sleep(100);
      return;
    }
    CompletableFuture<String> miss = reader.send("get " + id + " 40");
    Thread.sleep(random.nextInt(50));
    if (traffic.insert(writer, id, random)) {
      expectRow(id, tally);
      answered(miss);
      expectRow(id, tally);
    }
    Thread.sleep(50);
  }

  /** Where barriers may have been lost, a null entry may stand, but not for long. */
  private void expectRow(long id, Tally tally) throws Exception {
    for (Worker worker : workers) {
      if (!answered(worker.send("get " + id + " 0")).equals("null")) {
        continue;
      }
      if (worker.ask("check products one " + id).startsWith("A")) {
        tally.wrong(worker.name() + " denied the row of " + id + " to a caller of get");
        continue;
      }
      if (!cacheKept) {
        Thread.sleep(NULLS_GONE_MILLIS);
        if (!answered(worker.send("get " + id + " 0")).equals("null")) {
          continue;
        }
      }
      tally.staleNulls.increment();
    }
  }

  private static String answered(CompletableFuture<String> answer) throws Exception {
    try {
      return answer.get(10, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }
}
