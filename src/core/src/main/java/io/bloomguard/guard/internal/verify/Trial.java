package io.bloomguard.guard.internal.verify;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Held;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One rejected key that goes to the load nevertheless, so that the load can show whether the
 * rejection was right.
 *
 * <p>It ends once, on any thread, and then records the outcome of its key: {@code loaded}, {@code
 * rejected} or {@code error}. A trial that is closed without a verdict has failed.
 */
public final class Trial implements Held {

  private final Verification verification;
  final Tried tried;
  final int hash;
  private final AtomicBoolean ended = new AtomicBoolean();

  /** The trial within which a guard has met the same key again, and which gives the verdict. */
  private final @Nullable Trial outer;

  private volatile @Nullable LoadThreads elsewhere;
  private volatile boolean open;

  /** What the loads of guards further in have shown of the key. */
  private volatile @Nullable CompletableFuture<BooleanSupplier> seen;

  private volatile boolean seenFailing;
  private volatile boolean seenNothing;

  Trial(Verification verification, Tried tried, @Nullable Trial outer) {
    this.verification = verification;
    this.tried = tried;
    this.hash = Sample.hash(tried.key());
    this.outer = outer;
  }

  /**
   * The key of a trial, and its guard.
   *
   * @param key canonical
   * @param entry the entry point of the key
   * @param caller the caller, for the log: a method, or the pattern of a web rule
   * @param outcomes counts the trial's outcome
   * @param reads called on the thread of a load that found a value; tells, on any thread and once
   *     the load's transaction is over, whether its reads may be older than the filter's answer
   * @param place the place in the bulkhead that its load works in
   * @param release releases the places of the trial; called once
   */
  public record Tried(
      String key,
      EntryPoint entry,
      String caller,
      Consumer<Outcome> outcomes,
      Supplier<CompletableFuture<BooleanSupplier>> reads,
      Held place,
      Runnable release) {

    Tried by(Consumer<Outcome> others) {
      return new Tried(key, entry, caller, others, reads, place, release);
    }
  }

  /**
   * Leaves a verdict to a thread of the guard: it asks filter and cache again, and the thread of
   * the caller must not wait for them.
   *
   * @param threads null if nothing is waited for
   */
  public Trial endedBy(@Nullable LoadThreads threads) {
    elsewhere = threads;
    return this;
  }

  /**
   * Ends the trial.
   *
   * @param found {@code VALUE}: the key was wrongly rejected unless the filter has it by now, or
   *     has the row under the row's own key. {@code NOTHING}: it was rightly rejected, unless
   *     another guard rejected it meanwhile, perhaps one that the load met on another thread.
   *     {@code UNCLEAR}: it is judged by the guards that the load met further in. {@code OTHER}: no
   *     verdict, and another trial.
   * @param waits whether this thread may wait for the verdict on a value, outside of a transaction
   *     and for half a second at most: the source may be asked for it
   */
  public void end(Finding found, boolean waits) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    LoadThreads threads = elsewhere;
    if (threads == null || found == Finding.OTHER) {
      judge(found, waits);
    } else {
      threads.execute(() -> judge(found, false), refusal -> judge(Finding.OTHER, false));
    }
  }

  @Override
  public void end(Finding found) {
    end(found, false);
  }

  private void judge(Finding found, boolean waits) {
    CompletableFuture<BooleanSupplier> inner = seen;
    boolean unclear = found == Finding.UNCLEAR;
    Finding shown =
        unclear && inner == null && seenNothing && !seenFailing ? Finding.NOTHING : found;
    Trial judged = outer;
    if (judged != null) {
      tried.outcomes().accept(outcome(shown));
      judged.sees(shown);
      return;
    }
    verification.ended(this);
    tried.outcomes().accept(outcome(shown));
    tried.release().run();
    if (shown == Finding.VALUE) {
      verification.verdicts.judge(this, tried.reads().get(), waits);
    } else if (shown == Finding.NOTHING) {
      if (!open) {
        verification.confirmed.increment();
      }
    } else if (unclear && inner != null) {
      verification.verdicts.judge(this, inner, false);
    } else if (!unclear || seenFailing) {
      verification.sample.failed(tried.key());
    }
  }

  private static Outcome outcome(Finding shown) {
    return switch (shown) {
      case VALUE, UNCLEAR -> Outcome.LOADED;
      case NOTHING -> Outcome.REJECTED;
      case OTHER -> Outcome.ERROR;
    };
  }

  /** Notes what a guard further in has found: the verdict if the own answer shows nothing. */
  private void sees(Finding found) {
    switch (found) {
      case VALUE -> seen = tried.reads().get();
      case NOTHING -> seenNothing = true;
      case OTHER -> seenFailing = true;
      case UNCLEAR -> {}
    }
  }

  /** Leaves the trial without a verdict if its load finds nothing. */
  void leaveOpen() {
    open = true;
  }

  /**
   * The part of a guard that the load meets further in.
   *
   * @param guardOutcomes counts the outcome of that guard
   */
  Trial within(Consumer<Outcome> guardOutcomes) {
    return new Trial(verification, tried.by(guardOutcomes), this);
  }

  /**
   * Lets the key pass every other guard of the filter that is asked on this thread, until the
   * answer is closed: only the load itself shows whether the key exists. Loads in that scope take
   * no place of their own.
   */
  @Override
  public Scope enter() {
    return outer == null
        ? new Entered(this, new Entered(tried.place(), Entered.here())).get()
        : outer.enter();
  }

  /** The trial of that key that is under way on this thread; null if there is none. */
  static @Nullable Trial entered(Verification verification, Object key) {
    Entered at = Entered.here();
    String canonical = at == null ? "" : CanonicalKey.of(key);
    while (at != null) {
      if (at.held() instanceof Trial trial
          && trial.verification == verification
          && trial.tried.key().equals(canonical)) {
        return trial;
      }
      at = at.outer();
    }
    return null;
  }
}
