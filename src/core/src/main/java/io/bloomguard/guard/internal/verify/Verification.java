package io.bloomguard.guard.internal.verify;

import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Enforcement.Standing;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.LocalEnforcement;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.internal.Doubt;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.FilterAnswers;
import io.bloomguard.guard.internal.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

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

  private static final Trial[] NONE = {};

  final String filter;
  final MembershipStore store;
  final Enforcement enforcement;
  private final FilterMode configured;
  final VerifySettings settings;
  final Arrivals arrivals;
  final RowKeys rowKeys;
  final Executor questions;
  final LongSupplier ticker;
  final Verdicts verdicts;
  private final boolean verifies;
  final Sample sample;
  final LongAdder confirmed = new LongAdder();
  private List<Doubt> doubts = List.of();
  final LongAdder lateOnes = new LongAdder();
  final LongAdder wrong = new LongAdder();
  final LongAdder spellings = new LongAdder();

  /**
   * The trials that have no verdict yet: no more than have places. The array is replaced, never
   * changed.
   */
  private final AtomicReference<Trial[]> running = new AtomicReference<>(NONE);

  private volatile boolean wasDisarmed;

  /**
   * A verification without any trial yet.
   *
   * @param filter the filter's name, for the log
   * @param store checked again after a load that found a value
   * @param configured the mode until an operator sets one
   * @param arrivals the keys that may arrive late
   * @param rowKeys asked after a load that found a value
   * @param questions runs the questions, which wait for the source
   * @param ticker a monotonic clock, in nanoseconds
   */
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
    this.ticker = ticker;
    this.verifies = settings.verifies();
    this.verdicts = new Verdicts(this);
    this.sample = verdicts.sample;
  }

  /** Notes the doubts about absences, before the first question. */
  public Verification doubting(List<Doubt> all) {
    doubts = List.copyOf(all);
    return this;
  }

  /** The answers of a store of this filter, and the doubts about them. */
  public FilterAnswers answers(MembershipStore of) {
    return new FilterAnswers(of, doubts);
  }

  /** Lets no rejection through, and each take effect. */
  public static Verification off(String filter, MembershipStore store) {
    return new Verification(
        filter,
        store,
        new LocalEnforcement(),
        FilterMode.ENFORCE,
        VerifySettings.OFF,
        Arrivals.NONE,
        RowKeys.NONE,
        Runnable::run,
        System::nanoTime);
  }

  /**
   * The verdict on a key that the filter has just called absent. A caller that gets {@link
   * Verdict#TRY} begins the trial, or calls {@link #giveUp}.
   *
   * @param key as the caller gave it
   * @param tries whether the caller learns whether the key exists
   */
  public Verdict verdict(Object key, boolean tries) {
    if (running.get().length != 0 && Trial.entered(this, key) != null) {
      return tries ? Verdict.WITHIN_TRIAL : Verdict.WOULD_REJECT;
    }
    return tries && verifies && sample.selects(key) ? Verdict.TRY : untried(key);
  }

  /** The verdict on a key that is not tried, or was to be. */
  public Verdict untried(Object key) {
    if (!enforces()) {
      return Verdict.WOULD_REJECT;
    }
    leaveOpen(key);
    return Verdict.REJECT;
  }

  /** Whether one more rejected key may go to the load now, without a trial: at the same rate. */
  public boolean letsPass() {
    return sample.rate.tryTake();
  }

  /**
   * The part of a guard in the outer trial of a key. The outer trial is judged by it if its own
   * answer shows nothing of the key, as a page that is made of what the guard returns.
   *
   * @param key one with the verdict {@link Verdict#WITHIN_TRIAL} on this thread
   * @param outcomes counts the outcome of that guard
   */
  public Trial within(Object key, Consumer<Outcome> outcomes) {
    return Objects.requireNonNull(Trial.entered(this, key)).within(outcomes);
  }

  /**
   * Leaves open the trial of a key that is rejected meanwhile: if the rejection is on another
   * thread of the trial's load, that load finds nothing even for a key that exists.
   */
  private void leaveOpen(Object key) {
    Trial[] trials = running.get();
    if (trials.length != 0) {
      int hash = Sample.hash(key);
      for (Trial trial : trials) {
        if (trial.hash == hash) {
          trial.leaveOpen();
        }
      }
    }
  }

  /** Gives up the trial of a key, which may be tried another time. */
  public void giveUp(Object key) {
    sample.giveUp(key);
  }

  /** Begins the trial of a rejected key. */
  public Trial begin(Trial.Tried tried) {
    Trial trial = new Trial(this, tried, null);
    running.updateAndGet(
        others -> {
          Trial[] all = Arrays.copyOf(others, others.length + 1);
          all[others.length] = trial;
          return all;
        });
    return trial;
  }

  /** Removes a trial that has ended. */
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

  /** Whether the filter has every key by now that it is known to have rejected wrongly. */
  public boolean hasProvenKeys() {
    return verdicts.has(enforcement.proof());
  }

  /** Whether the filter is disarmed, by a wrong rejection or an operator. */
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
    return sample.follow().since - moment > 0;
  }

  /**
   * Takes a caller's report that keys exist that the filter called absent. Only keys count that the
   * filter calls absent now. A report is a claim: a source that can be asked is asked, for the
   * first {@value Verdicts#MOST_CLAIMS} of them.
   *
   * @param keys canonical
   * @return how many were wrongly rejected, as far as the source has answered within five seconds
   */
  public int report(List<String> keys, EntryPoint entry, String caller) {
    return verdicts.report(keys, entry, caller);
  }

  /**
   * Checks the late keys again, and the generation that serves. Called every second or so, by one
   * thread at a time. Never throws.
   */
  public void maintain() {
    boolean disarmed = isDisarmed();
    if (wasDisarmed && !disarmed) {
      // Armed again: the first keys are verified again.
      sample.renew();
    }
    wasDisarmed = disarmed;
    sample.follow();
    verdicts.lookAgain();
  }

  /** The number of keys that wait to be checked again. */
  int pending() {
    return verdicts.late.size();
  }
}
