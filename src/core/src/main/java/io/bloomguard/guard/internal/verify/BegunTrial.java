package io.bloomguard.guard.internal.verify;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Place;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The trial of one verification. */
final class BegunTrial implements Trial {

  private static final ThreadLocal<@Nullable Entered> INNERMOST = new ThreadLocal<>();

  private final Verification verification;
  private final String key;
  private final int hash;
  private final EntryPoint entry;
  private final String caller;
  private final Consumer<Outcome> outcomes;
  private final Supplier<CompletableFuture<BooleanSupplier>> reads;
  private final @Nullable Place place;
  private final Runnable release;
  private final AtomicBoolean ended = new AtomicBoolean();

  /** The trial within which a guard has met the same key again, and which gives the verdict. */
  private final @Nullable BegunTrial outer;

  private volatile boolean open;

  /** What the loads of guards further in have shown of the key. */
  private volatile @Nullable CompletableFuture<BooleanSupplier> seen;

  private volatile boolean seenFailing;
  private volatile boolean seenNothing;

  BegunTrial(
      Verification verification,
      String key,
      int hash,
      EntryPoint entry,
      String caller,
      Consumer<Outcome> outcomes,
      Supplier<CompletableFuture<BooleanSupplier>> reads,
      @Nullable Place place,
      Runnable release,
      @Nullable BegunTrial outer) {
    this.verification = verification;
    this.key = key;
    this.hash = hash;
    this.entry = entry;
    this.caller = caller;
    this.outcomes = outcomes;
    this.reads = reads;
    this.place = place;
    this.release = release;
    this.outer = outer;
  }

  @Override
  public void end(Finding found, boolean waits) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    CompletableFuture<BooleanSupplier> inner = seen;
    boolean unclear = found == Finding.UNCLEAR;
    Finding shown =
        unclear && inner == null && seenNothing && !seenFailing ? Finding.NOTHING : found;
    BegunTrial judged = outer;
    if (judged != null) {
      outcomes.accept(outcome(shown));
      judged.sees(shown);
      return;
    }
    verification.ended(this);
    outcomes.accept(outcome(shown));
    release.run();
    if (shown == Finding.VALUE) {
      verification.verdicts.judge(this, reads.get(), waits);
    } else if (shown == Finding.NOTHING) {
      verification.confirm(open);
    } else if (unclear && inner != null) {
      verification.verdicts.judge(this, inner, false);
    } else if (!unclear || seenFailing) {
      verification.sample.failed(key);
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
      case VALUE -> seen = reads.get();
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
  BegunTrial within(Consumer<Outcome> guardOutcomes) {
    return new BegunTrial(
        verification, key, hash, entry, caller, guardOutcomes, reads, place, release, this);
  }

  @Override
  public Scope enter() {
    return outer != null ? outer.enter() : entered(new Entered(this, INNERMOST.get()), place);
  }

  /** Makes the place and trials of this thread those of another that continues its work. */
  static @Nullable Supplier<Scope> here() {
    Entered trials = INNERMOST.get();
    Place place = Place.current();
    return trials == null && place == null ? null : () -> entered(trials, place);
  }

  private static Scope entered(@Nullable Entered trials, @Nullable Place place) {
    Scope placed = Place.enter(place);
    if (trials == null) {
      return placed;
    }
    Entered outer = INNERMOST.get();
    INNERMOST.set(trials);
    return () -> {
      placed.close();
      if (outer == null) {
        INNERMOST.remove();
      } else {
        INNERMOST.set(outer);
      }
    };
  }

  /** A trial under way on a thread, within others. */
  private record Entered(BegunTrial trial, @Nullable Entered outer) {}

  /** The trial of that key that is under way on this thread; null if there is none. */
  static @Nullable BegunTrial entered(Verification verification, Object key) {
    Entered inner = INNERMOST.get();
    if (inner == null) {
      return null;
    }
    String canonical = CanonicalKey.of(key);
    for (Entered at = inner; at != null; at = at.outer) {
      if (at.trial.verification == verification && at.trial.key.equals(canonical)) {
        return at.trial;
      }
    }
    return null;
  }

  String key() {
    return key;
  }

  int hash() {
    return hash;
  }

  EntryPoint entry() {
    return entry;
  }

  String caller() {
    return caller;
  }
}
