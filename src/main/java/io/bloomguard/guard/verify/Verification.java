package io.bloomguard.guard.verify;

import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.OutcomeCounters;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.verify.Enforcement.Standing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verification of one filter: the verdict on the rejections that go to the load, and whether
 * the filter rejects at all.
 *
 * <p>A filter is wrong if its source is wrong, the database compares keys in another way, or a
 * write was not announced; only a load can show it. So the first keys that a generation rejects go
 * to the load, and a small share of the others after that, at a bounded rate. A key was wrongly
 * rejected if the load finds it and the filter still lacks it then.
 *
 * <p>A found row is no evidence by itself, because callers choose the spelling of a key: the source
 * is asked for the row's own key. If the filter has that one, it lacks only the spelling.
 *
 * <p>A rejection that does not go to the load costs a few field reads and a random number: no lock,
 * no allocation.
 */
public final class Verification {

  private static final Logger log = LoggerFactory.getLogger(Verification.class);

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

  private static final BegunTrial[] NONE = {};

  private final String filter;
  private final MembershipStore store;
  private final Enforcement enforcement;
  private final FilterMode configured;
  private final VerifySettings settings;
  private final Arrivals arrivals;
  private final RowKeys rowKeys;
  private final Executor questions;
  private final AtomicInteger openQuestions = new AtomicInteger();
  private final boolean verifies;
  private final TrialSelection selection;
  private final TokenBucket logRate;
  private final TokenBucket spellingLogRate;
  private final LateKeys late = new LateKeys();
  private final LongAdder confirmed = new LongAdder();
  private final LongAdder lateOnes = new LongAdder();
  private final LongAdder wrong = new LongAdder();
  private final LongAdder spellings = new LongAdder();

  /**
   * The trials that have no verdict yet: no more than have places. The array is replaced, never
   * changed.
   */
  private final AtomicReference<BegunTrial[]> running = new AtomicReference<>(NONE);

  private volatile boolean wasDisarmed;

  /**
   * A verification without any trial yet.
   *
   * @param filter the filter's name, for the log
   * @param store checked again after a load that found a value
   * @param configured the mode until an operator sets one
   * @param arrivals the keys that may arrive late
   */
  public Verification(
      String filter,
      MembershipStore store,
      Enforcement enforcement,
      FilterMode configured,
      VerifySettings settings,
      Arrivals arrivals) {
    this(filter, store, enforcement, configured, settings, arrivals, System::nanoTime);
  }

  /**
   * The same for a filter whose source may be asked for the keys of rows.
   *
   * @param rowKeys asked after a load that found a value
   * @param questions runs the questions, which wait for the source
   */
  public Verification(
      String filter,
      MembershipStore store,
      Enforcement enforcement,
      FilterMode configured,
      VerifySettings settings,
      Arrivals arrivals,
      RowKeys rowKeys,
      Executor questions) {
    this(
        filter,
        store,
        enforcement,
        configured,
        settings,
        arrivals,
        rowKeys,
        questions,
        System::nanoTime);
  }

  /**
   * The same with another clock.
   *
   * @param ticker a monotonic clock, in nanoseconds
   */
  public Verification(
      String filter,
      MembershipStore store,
      Enforcement enforcement,
      FilterMode configured,
      VerifySettings settings,
      Arrivals arrivals,
      LongSupplier ticker) {
    this(
        filter,
        store,
        enforcement,
        configured,
        settings,
        arrivals,
        RowKeys.NONE,
        Runnable::run,
        ticker);
  }

  /** The same with both. */
  public Verification(
      String filter,
      MembershipStore store,
      Enforcement enforcement,
      FilterMode configured,
      VerifySettings settings,
      Arrivals arrivals,
      RowKeys rowKeys,
      Executor questions,
      LongSupplier ticker) {
    this.filter = filter;
    this.store = store;
    this.enforcement = enforcement;
    this.configured = configured;
    this.settings = settings;
    this.arrivals = arrivals;
    this.rowKeys = rowKeys;
    this.questions = questions;
    this.verifies = settings.verifies();
    this.selection = new TrialSelection(store, settings, late, ticker);
    this.logRate = new TokenBucket(LOG_INTERVAL, LOG_BURST, ticker);
    this.spellingLogRate = new TokenBucket(SPELLING_INTERVAL, 1, ticker);
  }

  /** The ruling on one rejection. */
  public enum Ruling {
    /** The key is rejected. */
    REJECT,
    /** The key is counted as rejected and passes: the filter is disarmed, or observes. */
    PASS,
    /** The key may go to the load, as a {@link Trial}. */
    TRY,
    /** The key goes to the load: an outer trial of the same key led here ({@link #within}). */
    WITHIN_TRIAL
  }

  /**
   * Rules on a key that the filter has just called absent. A caller that gets {@link Ruling#TRY}
   * begins the trial, or calls {@link #giveUp}.
   *
   * @param key as the caller gave it
   */
  public Ruling ruling(Object key) {
    if (isWithinTrial(key)) {
      return Ruling.WITHIN_TRIAL;
    }
    if (verifies && selection.selects(key)) {
      return Ruling.TRY;
    }
    return untried(key);
  }

  /** The ruling on a key that is not tried, or was to be. */
  public Ruling untried(Object key) {
    if (!enforces()) {
      return Ruling.PASS;
    }
    leaveOpen(key);
    return Ruling.REJECT;
  }

  /**
   * The trials that the calling thread is in, for another thread that continues its work: it enters
   * them, and closes the scope. Null for none.
   */
  public static @Nullable Supplier<Trial.Scope> trialsHere() {
    return BegunTrial.here();
  }

  private boolean isWithinTrial(Object key) {
    return running.get().length != 0 && BegunTrial.entered(this, key) != null;
  }

  /**
   * The part of a guard in the outer trial of a key. The outer trial is judged by it if its own
   * answer shows nothing of the key, as a page that is made of what the guard returns.
   *
   * @param key one with the ruling {@link Ruling#WITHIN_TRIAL} on this thread
   * @param counters counts the outcome of the guard at {@code entry}
   */
  public Trial within(Object key, EntryPoint entry, OutcomeCounters counters) {
    return Objects.requireNonNull(BegunTrial.entered(this, key)).within(entry, counters);
  }

  /**
   * Leaves open the trial of a key that is rejected meanwhile: if the rejection is on another
   * thread of the trial's load, that load finds nothing even for a key that exists.
   */
  private void leaveOpen(Object key) {
    BegunTrial[] trials = running.get();
    if (trials.length != 0) {
      int hash = TrialSelection.hash(key);
      for (BegunTrial trial : trials) {
        if (trial.hash() == hash) {
          trial.leaveOpen();
        }
      }
    }
  }

  /** As {@link #ruling}, for a caller that does not report whether the key exists. */
  public boolean rejects(Object key) {
    return !isWithinTrial(key) && untried(key) == Ruling.REJECT;
  }

  /** Gives up the trial of a key, which may be tried another time. */
  public void giveUp(Object key) {
    selection.giveUp(key);
  }

  /** Notes that the load of a key under trial has failed. */
  void failed(String key) {
    selection.failed(key);
  }

  /**
   * Begins the trial of a rejected key.
   *
   * @param key canonical
   * @param counters counts the trial's outcome at {@code entry}
   * @param caller the caller, for the log: a method, or the pattern of a web rule
   * @param reads called on the thread of a load that found a value; tells, on any thread and once
   *     the load's transaction is over, whether its reads may be older than the filter's answer
   * @param place the place in the bulkhead that its load works in
   * @param release releases the places of the trial; called once
   */
  public Trial begin(
      String key,
      EntryPoint entry,
      String caller,
      OutcomeCounters counters,
      Supplier<CompletableFuture<BooleanSupplier>> reads,
      @Nullable Place place,
      Runnable release) {
    BegunTrial trial =
        new BegunTrial(
            this, key, TrialSelection.hash(key), entry, caller, counters, reads, place, release);
    running.updateAndGet(
        others -> {
          BegunTrial[] all = Arrays.copyOf(others, others.length + 1);
          all[others.length] = trial;
          return all;
        });
    return trial;
  }

  /** Removes a trial that has ended. */
  void ended(BegunTrial trial) {
    running.updateAndGet(
        trials -> Arrays.stream(trials).filter(other -> other != trial).toArray(BegunTrial[]::new));
  }

  /** Whether rejections take effect: the filter is armed and its mode is to enforce. */
  public boolean enforces() {
    Standing standing = enforcement.standing();
    return !standing.disarmed() && mode(standing) == FilterMode.ENFORCE;
  }

  /** The mode that is in effect. */
  public FilterMode mode() {
    return mode(enforcement.standing());
  }

  private FilterMode mode(Standing standing) {
    FilterMode set = standing.mode();
    return set == null ? configured : set;
  }

  /** Whether a wrong rejection has disarmed the filter. */
  public boolean isDisarmed() {
    return enforcement.standing().disarmed();
  }

  /** The number of loads of rejected keys that found nothing. */
  public long confirmed() {
    return confirmed.sum();
  }

  /** The number of keys that were found before they arrived in the filter. */
  public long late() {
    return lateOnes.sum();
  }

  /** The number of wrong rejections. */
  public long wrong() {
    return wrong.sum();
  }

  /** The number of rows that were found under another key than their own, which the filter has. */
  public long spellings() {
    return spellings.sum();
  }

  /**
   * Whether this process first saw the serving generation after a moment.
   *
   * @param moment of {@code System.nanoTime()}
   */
  public boolean isNewerThan(long moment) {
    return selection.isNewerThan(moment);
  }

  /**
   * Takes a caller's report that keys exist that the filter called absent. Only keys count that the
   * filter calls absent now. A report is a claim: a source that can be asked is asked, for the
   * first {@value #MOST_CLAIMS} of them.
   *
   * @param keys canonical
   * @return how many were wrongly rejected, as far as the source has answered within five seconds
   */
  public int report(List<String> keys, EntryPoint entry, String caller) {
    if (settings.reports() == WrongRejectionPolicy.IGNORE || keys.isEmpty()) {
      return 0;
    }
    Membership[] answers = store.checkAll(keys);
    List<CompletableFuture<Boolean>> claims = new ArrayList<>();
    boolean asks = rowKeys.isKnown();
    for (int i = 0; i < answers.length && !(asks && claims.size() == MOST_CLAIMS); i++) {
      if (answers[i] == Membership.ABSENT) {
        String key = keys.get(i);
        BooleanSupplier claim = () -> missing(key, entry, caller, settings.reports(), true);
        claims.add(
            asks ? question(key, claim) : CompletableFuture.completedFuture(claim.getAsBoolean()));
      }
    }
    await(CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new)), REPORT_WAIT_MILLIS);
    return (int) claims.stream().filter(claim -> claim.getNow(false)).count();
  }

  /**
   * Checks the late keys again, and the generation that serves. Called every second or so, by one
   * thread at a time. Never throws.
   */
  public void maintain() {
    boolean disarmed = isDisarmed();
    if (wasDisarmed && !disarmed) {
      // Armed again: the first keys are verified again.
      selection.renew();
    }
    wasDisarmed = disarmed;
    selection.follow();
    late.forEach(this::lookAgain);
  }

  private boolean lookAgain(String key, LateKeys.Late then) {
    if (!arrivals.completeSince(then.since())) {
      return false;
    }
    Membership now = store.check(key);
    if (now == Membership.ABSENT) {
      wrong(key, then.entry(), then.caller(), then.policy());
    }
    return now != Membership.UNKNOWN;
  }

  void confirm() {
    confirmed.increment();
  }

  /**
   * Judges a trial whose load has found a key that the filter called absent. A question to the
   * source is asked on another thread.
   *
   * @param reads tells whether the load's reads may be older than the filter's answer; incomplete
   *     while the transaction lasts that may have made the row, and for ever if it rolls back
   * @param waits whether the caller may wait for the verdict, for a short time
   */
  void judge(BegunTrial trial, CompletableFuture<BooleanSupplier> reads, boolean waits) {
    if (!rowKeys.isKnown()) {
      var unused = reads.thenApply(mayBeOlder -> judged(trial, mayBeOlder));
      return;
    }
    CompletableFuture<Boolean> verdict =
        reads.thenCompose(mayBeOlder -> question(trial.key(), () -> judged(trial, mayBeOlder)));
    // The keys of a batch, and the callers of a source that is slow, wait once at most.
    if (waits && openQuestions.get() <= 1) {
      await(verdict, TRIAL_WAIT_MILLIS);
    }
  }

  private boolean judged(BegunTrial trial, BooleanSupplier mayBeOlder) {
    if (store.check(trial.key()) != Membership.ABSENT) {
      return false;
    }
    if (mayBeOlder.getAsBoolean()) {
      selection.failed(trial.key());
      return false;
    }
    return missing(trial.key(), trial.entry(), trial.caller(), settings.onWrongRejection(), false);
  }

  /** Puts a question to the source; without a thread for it there is no verdict. */
  private CompletableFuture<Boolean> question(String key, BooleanSupplier verdict) {
    openQuestions.incrementAndGet();
    try {
      return CompletableFuture.supplyAsync(verdict::getAsBoolean, questions)
          .whenComplete((wrongly, failure) -> openQuestions.decrementAndGet());
    } catch (RejectedExecutionException e) {
      openQuestions.decrementAndGet();
      selection.failed(key);
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
   * @param claimed whether a caller says so
   * @return whether the filter should have the row's key by now
   */
  private boolean missing(
      String key, EntryPoint entry, String caller, WrongRejectionPolicy policy, boolean claimed) {
    RowKeys.Answer answer = rowKeys.isKnown() ? rowKeys.of(key) : RowKeys.Answer.UNABLE;
    switch (answer.kind()) {
      case FAILED -> {
        selection.failed(key);
        return false;
      }
      case UNUSABLE -> {
        spelling(key, "", entry, caller);
        return false;
      }
      case ROWS -> {
        return lacksOwn(key, answer.keys(), entry, caller, policy);
      }
      case NONE, UNABLE -> {
        boolean unable = answer.kind() == RowKeys.Kind.UNABLE;
        List<String> plain = Spellings.of(key, unable);
        int at = List.of(store.checkAll(plain)).indexOf(Membership.POSSIBLY_PRESENT);
        if (at >= 0) {
          spelling(key, plain.get(at), entry, caller);
          return false;
        }
        return (unable || !claimed) && lacks(key, entry, caller, policy);
      }
    }
    throw new AssertionError(answer.kind());
  }

  /** Judges a row by its own keys: the filter must have each of them. */
  private boolean lacksOwn(
      String key, List<String> own, EntryPoint entry, String caller, WrongRejectionPolicy policy) {
    Membership[] answers = store.checkAll(own);
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == Membership.ABSENT) {
        return lacks(own.get(i), entry, caller, policy);
      }
    }
    if (!own.contains(key) && !List.of(answers).contains(Membership.UNKNOWN)) {
      spelling(key, own.get(0), entry, caller);
    }
    return false;
  }

  /** Notes a key that exists but is not in the filter; true if it should be in it by now. */
  private boolean lacks(String key, EntryPoint entry, String caller, WrongRejectionPolicy policy) {
    if (arrivals.expected()) {
      lateOnes.increment();
      late.add(key, new LateKeys.Late(System.nanoTime(), entry, caller, policy));
      return false;
    }
    wrong(key, entry, caller, policy);
    return true;
  }

  /**
   * Notes a row that was found under another key than its own.
   *
   * @param own the row's key, empty if no caller can ask for it
   */
  private void spelling(String key, String own, EntryPoint entry, String caller) {
    spellings.increment();
    if (spellingLogRate.tryTake()) {
      log.warn(
          "Filter '{}': a row was found by another spelling of its key, which the filter rejects:"
              + " entry {}, {}; hash of the key, as 'explain' shows it: {}. The filter stays armed."
              + " If callers may use that spelling, {}. See docs/verification.md",
          filter,
          entry.tag(),
          caller.isEmpty() ? "caller unknown" : caller,
          store.keyHash(key),
          Spellings.remedy(filter, key, own));
    }
  }

  private void wrong(String key, EntryPoint entry, String caller, WrongRejectionPolicy policy) {
    wrong.increment();
    boolean disarms = policy == WrongRejectionPolicy.DISARM;
    boolean first = disarms && !isDisarmed();
    if (disarms) {
      enforcement.disarm(store.generation());
    }
    if (first || logRate.tryTake()) {
      log.error(
          "Filter '{}' called a key absent that exists: entry {}, {}; hash of the key, as 'explain'"
              + " shows it: {}. {} See docs/verification.md for the causes",
          filter,
          entry.tag(),
          caller.isEmpty() ? "caller unknown" : caller,
          store.keyHash(key),
          disarms ? "The filter is disarmed: it rejects nothing until it is armed." : "Counted.");
    }
  }

  /** The number of keys that wait to be checked again. */
  int pending() {
    return late.size();
  }
}
