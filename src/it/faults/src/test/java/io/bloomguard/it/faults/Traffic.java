package io.bloomguard.it.faults;

import io.bloomguard.it.support.Form;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Checks, inserts and loads in all workers at once, judged here. */
final class Traffic implements AutoCloseable {

  private static final String[] WAYS = {"annotated", "alone", "put", "write"};

  /** Besides those that follow an insert at once. */
  private static final int CHECKS_EVERY_MILLIS = Form.of(12, 4);

  /** Of the checks that a worker has not answered yet. */
  private static final int MOST_AT_ONCE = 500;

  private final List<Worker> workers;
  private final Ledger ledger;
  private final Codes codes;
  private final Traces traces;
  private final Random seeds;
  private final Map<Worker, Pulse> pulses = new HashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Worker, Semaphore> atOnce = new HashMap<>();
  private final Loaders loaders;
  private volatile Tally tally = new Tally();
  private volatile boolean running = true;

  Traffic(List<Worker> workers, Ledger ledger, Codes codes, Traces traces, Random seeds) {
    this.workers = workers;
    this.traces = traces;
    this.ledger = ledger;
    this.codes = codes;
    this.seeds = seeds;
    this.loaders = new Loaders(workers, ledger, this);
    for (Worker worker : workers) {
      pulses.put(worker, new Pulse());
      atOnce.put(worker, new Semaphore(MOST_AT_ONCE));
    }
  }

  void start() {
    for (Worker worker : workers) {
      run("checks", random -> check(worker, random));
      run("inserts", random -> insert(worker, random));
      Codes.Owner owner = codes.owner();
      run("codes", random -> owner.step(tally, random));
    }
    run("herds", loaders::herd);
    run("nulls", loaders::insertDuringLoad);
  }

  /** Counts into a new tally from now on. */
  Tally newTally() {
    Tally fresh = new Tally();
    tally = fresh;
    return fresh;
  }

  Tally tally() {
    return tally;
  }

  /** Whether what is in the value cache survives what is done now. */
  void cacheIsKept(boolean kept) {
    loaders.cacheIsKept(kept);
  }

  boolean isNormal() {
    return pulses.values().stream().allMatch(Pulse::isNormal);
  }

  /** When the last worker came back to normal. */
  long normalSince() {
    return pulses.values().stream().mapToLong(Pulse::normalSince).max().orElseThrow();
  }

  /** Normal is only what is seen from now on. */
  void forgetPulses() {
    pulses.values().forEach(Pulse::trouble);
  }

  String pulses() {
    StringBuilder text = new StringBuilder();
    pulses.forEach((worker, pulse) -> text.append(worker.name() + ": " + pulse + "; "));
    return text.toString();
  }

  /** Checks every given key in every given worker; none may be rejected. */
  void sweep(List<Worker> by, List<Long> ids, String occasion) throws Exception {
    for (Worker worker : by) {
      for (int from = 0; from < ids.size(); from += 1000) {
        List<Long> part = ids.subList(from, Math.min(ids.size(), from + 1000));
        judge(worker, "together", part, part.size(), occasion);
      }
    }
  }

  private Pulse pulse(Worker worker) {
    return pulses.getOrDefault(worker, new Pulse());
  }

  private void check(Worker worker, Random random) throws Exception {
    List<Long> keys = new ArrayList<>(ledger.latest(8));
    keys.addAll(ledger.known(12, random));
    int known = keys.size();
    keys.addAll(Ledger.absent(8, random));
    judge(worker, random.nextInt(4) == 0 ? "together" : "one", keys, known, "");
    Thread.sleep(CHECKS_EVERY_MILLIS);
  }

  /** Asks for keys of which the first {@code known} must not be rejected. */
  private void judge(Worker worker, String how, List<Long> keys, int known, String occasion)
      throws Exception {
    Tally into = tally;
    long begin = Traces.micros();
    String[] answer = worker.ask("check products " + how + " " + joined(keys)).split(" ");
    String letters = answer[0];
    if (letters.length() != keys.size()) {
      pulse(worker).trouble();
      throw new IOException(String.join(" ", answer));
    }
    for (int i = 0; i < known; i++) {
      traces.answered(keys.get(i), begin, letters.charAt(i));
    }
    boolean decided = letters.indexOf('U') < 0;
    for (int i = 0; i < known; i++) {
      if (letters.charAt(i) == 'A') {
        into.wrong(worker.name() + " rejected " + keys.get(i) + " " + occasion);
      }
    }
    into.checks.add(keys.size());
    into.undecided.add(letters.chars().filter(letter -> letter == 'U').count());
    into.slow(Long.parseLong(answer[1]));
    if (decided) {
      pulse(worker).decided(letters.indexOf('A', known) >= 0);
    } else {
      pulse(worker).trouble();
    }
  }

  private void insert(Worker worker, Random random) throws Exception {
    insert(worker, ledger.fresh(), random);
    Thread.sleep(20);
  }

  /** Inserts a row; true if it was acknowledged, and then every worker must know it. */
  boolean insert(Worker worker, long id, Random random) throws Exception {
    Tally into = tally;
    long begin = Traces.micros();
    String answer;
    try {
      answer = worker.ask("insert " + WAYS[random.nextInt(WAYS.length)] + " " + id);
    } catch (IOException e) {
      pulse(worker).trouble();
      throw e;
    }
    if (!answer.equals("ok")) {
      traces.inserted(id, begin, false);
      into.refusedInserts.increment();
      pulse(worker).trouble();
      return false;
    }
    traces.inserted(id, begin, true);
    ledger.acknowledge(id);
    askOthers(worker, id, "right after its insert");
    into.inserts.increment();
    pulse(worker).inserted();
    return true;
  }

  /**
   * Asks the other shops for a key at once, without waiting for their answers: one that stands
   * still answers when it goes on.
   *
   * @param writer the shop that is not asked; null for none
   * @return ends with the last answer
   */
  CompletableFuture<?> askOthers(Worker writer, long id, String occasion) {
    Tally into = tally;
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Worker worker : workers) {
      Semaphore places = atOnce.get(worker);
      if (worker == writer || !places.tryAcquire()) {
        continue;
      }
      long begin = Traces.micros();
      answers.add(
          worker
              .send("check products one " + id)
              .whenComplete(
                  (answer, failure) -> {
                    places.release();
                    if (answer != null) {
                      traces.answered(id, begin, answer.charAt(0));
                      into.checks.increment();
                      into.asked.increment();
                    }
                    if (answer != null && answer.startsWith("A")) {
                      into.wrong(worker.name() + " rejected " + id + " " + occasion);
                    }
                  }));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
  }

  static String joined(List<Long> keys) {
    StringBuilder text = new StringBuilder();
    for (long key : keys) {
      text.append(text.isEmpty() ? "" : ",").append(key);
    }
    return text.toString();
  }

  private void run(String name, Step step) {
    Random random = new Random(seeds.nextLong());
    Thread thread =
        new Thread(
            () -> {
              while (running) {
                try {
                  step.run(random);
                } catch (InterruptedException e) {
                  return;
                } catch (Exception e) {
                  // A worker that is away, or an answer that did not come: part of the faults.
                  pause();
                }
              }
            },
            name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private static void pause() {
    CompletableFuture<Void> never = new CompletableFuture<>();
    never.completeOnTimeout(null, 50, TimeUnit.MILLISECONDS).join();
  }

  @Override
  public void close() throws InterruptedException {
    running = false;
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join(TimeUnit.SECONDS.toMillis(5));
    }
  }

  /** What one kind of traffic does again and again. */
  interface Step {
    void run(Random random) throws Exception;
  }
}
