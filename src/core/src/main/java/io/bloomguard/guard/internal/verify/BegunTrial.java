package io.bloomguard.guard.internal.verify;

import io.bloomguard.filter.internal.CanonicalKey;
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
      Runnable release) {
    this.verification = verification;
    this.key = key;
    this.hash = hash;
    this.entry = entry;
    this.caller = caller;
    this.outcomes = outcomes;
    this.reads = reads;
    this.place = place;
    this.release = release;
  }

  @Override
  public void found() {
    if (end(Outcome.LOADED)) {
      verification.verdicts.judge(this, reads.get(), false);
    }
  }

  @Override
  public void foundAndWait() {
    if (end(Outcome.LOADED)) {
      verification.verdicts.judge(this, reads.get(), true);
    }
  }

  @Override
  public void absent() {
    if (end(Outcome.REJECTED) && !open) {
      verification.confirm();
    }
  }

  /** Judges by the guards further in, if the load has met any. */
  @Override
  public void unclear() {
    CompletableFuture<BooleanSupplier> inner = seen;
    if (inner == null && seenNothing && !seenFailing) {
      absent();
    } else if (end(Outcome.LOADED)) {
      if (inner != null) {
        verification.verdicts.judge(this, inner, false);
      } else if (seenFailing) {
        verification.selection.failed(key);
      }
    }
  }

  /** Leaves the trial without a verdict if its load finds nothing. */
  void leaveOpen() {
    open = true;
  }

  @Override
  public void failed() {
    if (end(Outcome.ERROR)) {
      verification.selection.failed(key);
    }
  }

  @Override
  public void close() {
    failed();
  }

  private boolean end(Outcome outcome) {
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    verification.ended(this);
    outcomes.accept(outcome);
    release.run();
    return true;
  }

  /**
   * The part of a guard that the load meets further in.
   *
   * @param guardOutcomes counts the outcome of that guard
   */
  Trial within(Consumer<Outcome> guardOutcomes) {
    return new Inner(this, guardOutcomes, new AtomicBoolean());
  }

  /** The trial of a guard within an outer one of the same key, which gives the verdict. */
  private record Inner(BegunTrial outer, Consumer<Outcome> outcomes, AtomicBoolean ended)
      implements Trial {

    @Override
    public void found() {
      if (end(Outcome.LOADED)) {
        outer.seen = outer.reads.get();
      }
    }

    @Override
    public void foundAndWait() {
      found();
    }

    @Override
    public void absent() {
      if (end(Outcome.REJECTED)) {
        outer.seenNothing = true;
      }
    }

    @Override
    public void unclear() {
      boolean unused = end(Outcome.LOADED);
    }

    @Override
    public void failed() {
      if (end(Outcome.ERROR)) {
        outer.seenFailing = true;
      }
    }

    @Override
    public void close() {
      failed();
    }

    @Override
    public Scope enter() {
      return outer.enter();
    }

    private boolean end(Outcome outcome) {
      boolean first = ended.compareAndSet(false, true);
      if (first) {
        outcomes.accept(outcome);
      }
      return first;
    }
  }

  @Override
  public Scope enter() {
    return entered(new Entered(this, INNERMOST.get()), place);
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
