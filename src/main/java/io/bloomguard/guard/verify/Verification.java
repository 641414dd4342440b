package io.bloomguard.guard.verify;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.OutcomeCounters;
import io.bloomguard.guard.load.Place;
import io.bloomguard.guard.verify.Enforcement.Standing;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verification of one filter: which of its rejections are let through to the load, the verdict
 * on them, and whether the filter rejects at all.
 *
 * <p>A filter is wrong where its source is, where the database compares keys otherwise, or where a
 * write was not announced; only a load can tell. So the first keys that a generation rejects go to
 * the load, and a small share of the others after that, at a bounded rate. A key that the load
 * finds, and that the filter still lacks then, was wrongly rejected.
 *
 * <p>What is not let through costs the look at a few fields and a random number: no lock, nothing
 * allocated.
 */
public final class Verification {

  private static final Logger log = LoggerFactory.getLogger(Verification.class);

  /** Log lines about wrong rejections: a burst of ten, then one in ten seconds. */
  private static final long LOG_INTERVAL = TimeUnit.SECONDS.toNanos(10);

  private static final int LOG_BURST = 10;

  private static final Trial[] NONE = {};

  private final String filter;
  private final MembershipStore store;
  private final Enforcement enforcement;
  private final FilterMode configured;
  private final VerifySettings settings;
  private final Arrivals arrivals;
  private final LongSupplier ticker;
  private final boolean verifies;

  /** The sample as a bound on 63 random bits. */
  private final long threshold;

  private final TokenBucket rate;
  private final TokenBucket logRate;
  private final LateKeys late = new LateKeys();
  private final ReentrantLock renewing = new ReentrantLock();
  private final LongAdder confirmed = new LongAdder();
  private final LongAdder lateOnes = new LongAdder();
  private final LongAdder wrong = new LongAdder();

  /** Trials that have no verdict yet: no more than have places. Replaced, never changed. */
  private final AtomicReference<Trial[]> running = new AtomicReference<>(NONE);

  private volatile FirstKeys first;
  private volatile boolean wasDisarmed;

  /**
   * A verification of which nothing has come yet.
   *
   * @param filter the filter's name, for the log
   * @param store is asked again after a load that found something
   * @param configured the mode as long as no operator has set one
   * @param arrivals the keys that may come late
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
   * The same by another clock.
   *
   * @param ticker nanoseconds that only go forward
   */
  public Verification(
      String filter,
      MembershipStore store,
      Enforcement enforcement,
      FilterMode configured,
      VerifySettings settings,
      Arrivals arrivals,
      LongSupplier ticker) {
    this.filter = filter;
    this.store = store;
    this.enforcement = enforcement;
    this.configured = configured;
    this.settings = settings;
    this.arrivals = arrivals;
    this.ticker = ticker;
    this.verifies = settings.verifies();
    this.threshold = (long) (settings.sample() * 0x1p63);
    this.rate = TokenBucket.perSecond(settings.maxPerSecond(), ticker);
    this.logRate = new TokenBucket(LOG_INTERVAL, LOG_BURST, ticker);
    this.first = new FirstKeys(store.generation(), System.nanoTime(), firstBound());
  }

  private int firstBound() {
    return verifies ? settings.first() : 0;
  }

  /** What becomes of one rejection. */
  public enum Ruling {
    /** The key is rejected. */
    REJECT,
    /** It is counted as rejected and goes on: the filter is disarmed, or observes. */
    PASS,
    /** It may go to the load, as a {@link Trial}. */
    TRY,
    /** It goes to the load: a trial of this very key, further out, has led here. */
    WITHIN_TRIAL
  }

  /**
   * Rules on a key that the filter has just called absent. Who is told to {@link Ruling#TRY} begins
   * the trial, or calls {@link #giveUp}.
   *
   * @param key as the caller gave it
   */
  public Ruling ruling(Object key) {
    if (isWithinTrial(key)) {
      return Ruling.WITHIN_TRIAL;
    }
    if (verifies && selects(key)) {
      return Ruling.TRY;
    }
    return untried(key);
  }

  /** What becomes of a key that is not tried, or was to be. */
  public Ruling untried(Object key) {
    if (!enforces()) {
      return Ruling.PASS;
    }
    leaveOpen(key);
    return Ruling.REJECT;
  }

  private boolean isWithinTrial(Object key) {
    return running.get().length != 0 && Trial.isEntered(this, key);
  }

  /**
   * A key is rejected that may be under trial: on another thread of that trial's load, whose
   * finding nothing then tells nothing.
   */
  private void leaveOpen(Object key) {
    Trial[] trials = running.get();
    if (trials.length != 0) {
      int hash = hash(key);
      for (Trial trial : trials) {
        if (trial.hash() == hash) {
          trial.leaveOpen();
        }
      }
    }
  }

  /** As {@link #ruling} for a caller that tells nothing of what becomes of the key. */
  public boolean rejects(Object key) {
    return !isWithinTrial(key) && untried(key) == Ruling.REJECT;
  }

  private boolean selects(Object key) {
    FirstKeys keys = current();
    if (keys.open() && selectsFirst(keys, hash(key))) {
      return true;
    }
    return isSampled() && !late.isFull() && rate.tryTake();
  }

  /** The bucket is looked at first: while it is empty, no place is taken and given back. */
  private boolean selectsFirst(FirstKeys keys, int hash) {
    if (keys.has(hash) || late.isFull() || !rate.hasToken() || !keys.tryTake(hash)) {
      return false;
    }
    if (rate.tryTake()) {
      return true;
    }
    keys.giveBack(hash);
    return false;
  }

  private boolean isSampled() {
    return threshold > 0 && ThreadLocalRandom.current().nextLong() >>> 1 < threshold;
  }

  /** The first keys of the generation that serves now. */
  private FirstKeys current() {
    FirstKeys keys = first;
    long generation = store.generation();
    return keys.generation == generation ? keys : renewed(generation);
  }

  private FirstKeys renewed(long generation) {
    renewing.lock();
    try {
      if (first.generation != generation) {
        first = new FirstKeys(generation, System.nanoTime(), firstBound());
      }
      return first;
    } finally {
      renewing.unlock();
    }
  }

  /** The key that was to be tried is not: it may be another time. */
  public void giveUp(Object key) {
    first.giveBack(hash(key));
  }

  /** The load of a key under trial has failed. */
  void failed(String key) {
    first.forgive(hash(key));
  }

  /** The same for a key and its spellings as text; a number's is that of its decimal form. */
  private static int hash(Object key) {
    return key instanceof Long
            || key instanceof Integer
            || key instanceof Short
            || key instanceof Byte
        ? decimalHash(((Number) key).longValue())
        : CanonicalKey.of(key).hashCode();
  }

  /**
   * {@code Long.toString(number).hashCode()} without the text, from the last digit to the first.
   */
  static int decimalHash(long number) {
    int hash = 0;
    int power = 1;
    long left = number;
    do {
      hash += ('0' + (int) Math.abs(left % 10)) * power;
      power *= 31;
      left /= 10;
    } while (left != 0);
    return number < 0 ? hash + '-' * power : hash;
  }

  /**
   * Begins the trial of a rejected key.
   *
   * @param key canonical
   * @param counters counts the trial's outcome at {@code entry}
   * @param caller what asks, for the log: a method, or the pattern of a web rule
   * @param mayBeOlder whether what the load saw may be older than what the filter says; asked after
   *     a load that found something
   * @param place the place in the bulkhead that its load works in
   * @param release gives back what the trial holds; called once
   */
  public Trial begin(
      String key,
      EntryPoint entry,
      String caller,
      OutcomeCounters counters,
      BooleanSupplier mayBeOlder,
      @Nullable Place place,
      Runnable release) {
    Trial trial =
        new Trial(this, key, hash(key), entry, caller, counters, mayBeOlder, place, release);
    running.updateAndGet(
        others -> {
          Trial[] all = Arrays.copyOf(others, others.length + 1);
          all[others.length] = trial;
          return all;
        });
    return trial;
  }

  /** A trial has ended. */
  void ended(Trial trial) {
    running.updateAndGet(
        trials -> Arrays.stream(trials).filter(other -> other != trial).toArray(Trial[]::new));
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

  /** Loads of rejected keys that found nothing. */
  public long confirmed() {
    return confirmed.sum();
  }

  /** Keys that were found and that were still to arrive in the filter. */
  public long late() {
    return lateOnes.sum();
  }

  /** Wrong rejections. */
  public long wrong() {
    return wrong.sum();
  }

  /**
   * Whether the generation that serves, as far as this process noticed, is newer than a moment.
   *
   * @param moment of {@code System.nanoTime()}
   */
  public boolean isNewerThan(long moment) {
    return current().since - moment > 0;
  }

  /**
   * Takes a caller's word that keys exist which the filter called absent. Only those count that it
   * calls absent now.
   *
   * @param keys canonical
   * @return how many were wrongly rejected
   */
  public int report(List<String> keys, EntryPoint entry, String caller) {
    if (settings.reports() == WrongRejectionPolicy.IGNORE || keys.isEmpty()) {
      return 0;
    }
    Membership[] answers = store.checkAll(keys);
    int count = 0;
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == Membership.ABSENT
          && missing(keys.get(i), entry, caller, settings.reports())) {
        count++;
      }
    }
    return count;
  }

  /**
   * Looks again at the keys that were late, and at the generation that serves. Called every second
   * or so, by one thread at a time. Never throws.
   */
  public void maintain() {
    boolean disarmed = isDisarmed();
    if (wasDisarmed && !disarmed) {
      // Armed again: it has to earn its right again.
      first = new FirstKeys(store.generation(), System.nanoTime(), firstBound());
    }
    wasDisarmed = disarmed;
    current();
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

  /** The load has found a key that the filter called absent. */
  void judge(Trial trial) {
    if (store.check(trial.key()) == Membership.ABSENT && !trial.mayBeOlder()) {
      missing(trial.key(), trial.entry(), trial.caller(), settings.onWrongRejection());
    }
  }

  /** A key that exists is not in the filter; true if it should be by now. */
  private boolean missing(
      String key, EntryPoint entry, String caller, WrongRejectionPolicy policy) {
    if (arrivals.expected()) {
      lateOnes.increment();
      late.add(key, new LateKeys.Late(System.nanoTime(), entry, caller, policy));
      return false;
    }
    wrong(key, entry, caller, policy);
    return true;
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

  /** How many keys wait to be looked at again. */
  int pending() {
    return late.size();
  }
}
