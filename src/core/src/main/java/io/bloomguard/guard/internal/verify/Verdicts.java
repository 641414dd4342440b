package io.bloomguard.guard.internal.verify;

import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.internal.EntryPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verdicts on keys that were found, or are said to exist, although the filter called them
 * absent. A source that can be asked is asked for the row's own key.
 */
final class Verdicts {

  private static final Logger log = LoggerFactory.getLogger(Verdicts.class);

  /** The rate of log lines about wrong rejections: a burst of ten, then one in ten seconds. */
  private static final long LOG_INTERVAL = TimeUnit.SECONDS.toNanos(10);

  private static final int LOG_BURST = 10;

  /** The rate of log lines about spellings, which strangers choose: one a minute. */
  private static final long SPELLING_INTERVAL = TimeUnit.MINUTES.toNanos(1);

  /** The most keys of one report for which the source is asked. */
  static final int MOST_CLAIMS = 100;

  /** The longest wait of a caller for verdicts: of a trial that may wait, and of a report. */
  private static final long TRIAL_WAIT_MILLIS = 500;

  private static final long REPORT_WAIT_MILLIS = 5_000;

  private final Verification of;
  private final MembershipStore store;

  /** Chooses the rejections that are tried. */
  final Sample sample;

  /** The keys that wait for a verdict. */
  final LateKeys late = new LateKeys();

  private final TokenBucket logRate;
  private final TokenBucket spellingLogRate;

  /** The hashes, or other names, of the first keys that this process saw wrongly rejected. */
  private final Map<String, String> proven = new ConcurrentHashMap<>();

  private final AtomicInteger openQuestions = new AtomicInteger();

  /** No verdicts yet. */
  Verdicts(Verification of) {
    this.of = of;
    this.store = of.store;
    this.sample = new Sample(store, of.settings, late, of.ticker);
    this.logRate = new TokenBucket(LOG_INTERVAL, LOG_BURST, of.ticker);
    this.spellingLogRate = new TokenBucket(SPELLING_INTERVAL, 1, of.ticker);
  }

  private Membership check(String key) {
    return of.answers(store).check(key);
  }

  private List<Membership> checkAll(List<String> keys) {
    return List.of(of.answers(store).checkAll(keys, Duration.ZERO));
  }

  /** Judges a caller's report that keys exist; how many of them count. */
  int report(List<String> keys, EntryPoint entry, String caller) {
    if (of.settings.reports() == WrongRejectionPolicy.IGNORE || keys.isEmpty()) {
      return 0;
    }
    List<Membership> answers = checkAll(keys);
    List<CompletableFuture<Boolean>> claims = new ArrayList<>();
    boolean asks = of.rowKeys.isKnown();
    for (int i = 0; i < answers.size() && !(asks && claims.size() == MOST_CLAIMS); i++) {
      if (answers.get(i) == Membership.ABSENT) {
        String key = keys.get(i);
        Claim said = new Claim(key, entry, caller, of.settings.reports());
        BooleanSupplier claim = () -> missing(said, true);
        claims.add(
            asks ? question(key, claim) : CompletableFuture.completedFuture(claim.getAsBoolean()));
      }
    }
    await(CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new)), REPORT_WAIT_MILLIS);
    return (int) claims.stream().filter(claim -> claim.getNow(false)).count();
  }

  /** Looks again at the late keys. Called by one thread at a time. */
  void lookAgain() {
    late.removeIf(
        (key, then) -> {
          Membership now =
              of.arrivals.completeSince(then.since()) ? check(key) : Membership.UNKNOWN;
          if (now == Membership.ABSENT) {
            wrong(new Claim(key, then.entry(), then.caller(), then.policy()));
          }
          return now != Membership.UNKNOWN;
        });
  }

  /**
   * Judges a trial whose load has found a key that the filter called absent. A question to the
   * source is asked on another thread.
   *
   * @param reads tells whether the load's reads may be older than the filter's answer; incomplete
   *     while the transaction lasts that may have made the row, and for ever if it rolls back
   * @param waits whether the caller may wait for the verdict, for a short time
   */
  void judge(Trial trial, CompletableFuture<BooleanSupplier> reads, boolean waits) {
    if (!of.rowKeys.isKnown()) {
      var unused = reads.thenApply(mayBeOlder -> judged(trial, mayBeOlder));
      return;
    }
    CompletableFuture<Boolean> verdict =
        reads.thenCompose(
            mayBeOlder -> question(trial.tried.key(), () -> judged(trial, mayBeOlder)));
    // The keys of a batch, and the callers of a source that is slow, wait once at most.
    if (waits && openQuestions.get() <= 1) {
      await(verdict, TRIAL_WAIT_MILLIS);
    }
  }

  private boolean judged(Trial trial, BooleanSupplier mayBeOlder) {
    Trial.Tried tried = trial.tried;
    if (check(tried.key()) != Membership.ABSENT) {
      return false;
    }
    if (mayBeOlder.getAsBoolean()) {
      sample.failed(tried.key());
      return false;
    }
    return missing(
        new Claim(tried.key(), tried.entry(), tried.caller(), of.settings.onWrongRejection()),
        false);
  }

  /** A key that exists, as far as a load or a caller says, and the consequence if it is missing. */
  private record Claim(String key, EntryPoint entry, String caller, WrongRejectionPolicy policy) {

    Claim of(String other) {
      return new Claim(other, entry, caller, policy);
    }

    String by() {
      return caller.isEmpty() ? "caller unknown" : caller;
    }
  }

  /** Puts a question to the source; without a thread for it there is no verdict. */
  private CompletableFuture<Boolean> question(String key, BooleanSupplier verdict) {
    openQuestions.incrementAndGet();
    try {
      return CompletableFuture.supplyAsync(verdict::getAsBoolean, of.questions)
          .whenComplete((wrongly, failure) -> openQuestions.decrementAndGet());
    } catch (RejectedExecutionException e) {
      openQuestions.decrementAndGet();
      sample.failed(key);
      return CompletableFuture.completedFuture(false);
    }
  }

  private static void await(CompletableFuture<?> verdicts, long millis) {
    try {
      verdicts.get(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      log.debug("A verdict is still to come, or failed", e);
    }
  }

  /**
   * Judges a key under which a row was found, or is said to be, and which the filter lacks.
   *
   * @param said whether a caller says so
   * @return whether the filter should have the row's key by now
   */
  private boolean missing(Claim claim, boolean said) {
    String key = claim.key();
    RowKeys.Answer answer = of.rowKeys.isKnown() ? of.rowKeys.of(key) : RowKeys.Answer.UNABLE;
    switch (answer.kind()) {
      case FAILED -> sample.failed(key);
      case UNUSABLE -> spelling(claim, "");
      case ROWS -> {
        return lacksOwn(claim, answer.keys());
      }
      case NONE, UNABLE -> {
        boolean unable = answer.kind() == RowKeys.Kind.UNABLE;
        List<String> plain = Spellings.of(key, unable);
        int at = checkAll(plain).indexOf(Membership.POSSIBLY_PRESENT);
        if (at < 0) {
          return (unable || !said) && lacks(claim);
        }
        spelling(claim, plain.get(at));
      }
    }
    return false;
  }

  /** Judges a row by its own keys: the filter must have each of them. */
  private boolean lacksOwn(Claim claim, List<String> own) {
    List<Membership> answers = checkAll(own);
    int missing = answers.indexOf(Membership.ABSENT);
    if (missing >= 0) {
      return lacks(claim.of(own.get(missing)));
    }
    if (!own.contains(claim.key()) && !answers.contains(Membership.UNKNOWN)) {
      spelling(claim, own.get(0));
    }
    return false;
  }

  /** Notes a key that exists but is not in the filter; true if it should be in it by now. */
  private boolean lacks(Claim claim) {
    if (of.arrivals.expected()) {
      of.lateOnes.increment();
      late.add(
          claim.key(),
          new LateKeys.Late(System.nanoTime(), claim.entry(), claim.caller(), claim.policy()));
      return false;
    }
    wrong(claim);
    return true;
  }

  /**
   * Notes a row that was found under another key than its own.
   *
   * @param own the row's key, empty if no caller can ask for it
   */
  private void spelling(Claim claim, String own) {
    of.spellings.increment();
    if (spellingLogRate.tryTake()) {
      log.warn(
          "Filter '{}': a row was found by another spelling of its key, which the filter rejects:"
              + " entry {}, {}; hash of the key, as 'explain' shows it: {}. The filter stays armed."
              + " If callers may use that spelling, {}. See {}",
          of.filter,
          claim.entry().tag(),
          claim.by(),
          store.keyHash(claim.key()),
          Spellings.remedy(of.filter, claim.key(), own),
          Manual.page("verification.md"));
    }
  }

  private void wrong(Claim claim) {
    of.wrong.increment();
    boolean disarms = claim.policy() == WrongRejectionPolicy.DISARM;
    boolean first = disarms && !of.enforcement.standing().disarmed();
    if (disarms) {
      of.enforcement.disarm(store.generation(), nameOf(claim.key()));
    }
    if (first || logRate.tryTake()) {
      log.error(
          "Filter '{}' called a key absent that exists: entry {}, {}; hash of the key, as 'explain'"
              + " shows it: {}. {} The causes: {}",
          of.filter,
          claim.entry().tag(),
          claim.by(),
          store.keyHash(claim.key()),
          consequence(disarms),
          Manual.page("verification.md"));
    }
  }

  private String consequence(boolean disarms) {
    if (!disarms) {
      return "Counted.";
    }
    return "The filter is disarmed: it rejects nothing until it is rebuilt or armed."
        + (!of.enforcement.outlivesProcess()
            ? " Only this process knows: a restart forgets it, and rejects such keys again."
            : "");
  }

  /** The hash of a key, or for a filter without hashes a name that is drawn. */
  private String nameOf(String key) {
    String hash = store.keyHash(key);
    String name = hash.isEmpty() ? UUID.randomUUID().toString() : hash;
    if (proven.size() >= Enforcement.Proof.MOST) {
      return proven.getOrDefault(key, hash);
    }
    return proven.computeIfAbsent(key, unnamed -> name);
  }

  /** Whether the filter has every key of a proof by now. */
  boolean has(Enforcement.Proof proof) {
    Map<String, String> keys = new HashMap<>();
    proven.forEach((key, name) -> keys.put(name, key));
    for (String name : proof.keyHashes()) {
      String key = keys.get(name);
      Membership answer = key == null ? store.checkHash(name) : check(key);
      if (answer != Membership.POSSIBLY_PRESENT) {
        return false;
      }
    }
    return true;
  }
}
