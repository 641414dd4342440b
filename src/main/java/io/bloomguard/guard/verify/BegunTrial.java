package io.bloomguard.guard.verify;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.OutcomeCounters;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.Trial;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The trial of one verification. */
final class BegunTrial implements Trial {

  private static final ThreadLocal<@Nullable Entered> INNERMOST = new ThreadLocal<>();

  private static final Scope NOWHERE = () -> {};

  private final Verification verification;
  private final String key;
  private final int hash;
  private final EntryPoint entry;
  private final String caller;
  private final OutcomeCounters counters;
  private final Supplier<BooleanSupplier> reads;
  private final @Nullable Place place;
  private final Runnable release;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean open;

  BegunTrial(
      Verification verification,
      String key,
      int hash,
      EntryPoint entry,
      String caller,
      OutcomeCounters counters,
      Supplier<BooleanSupplier> reads,
      @Nullable Place place,
      Runnable release) {
    this.verification = verification;
    this.key = key;
    this.hash = hash;
    this.entry = entry;
    this.caller = caller;
    this.counters = counters;
    this.reads = reads;
    this.place = place;
    this.release = release;
  }

  @Override
  public void found() {
    if (end(Outcome.LOADED)) {
      verification.judge(this, false);
    }
  }

  @Override
  public void foundAndWait() {
    if (end(Outcome.LOADED)) {
      verification.judge(this, true);
    }
  }

  @Override
  public void absent() {
    if (end(Outcome.REJECTED) && !open) {
      verification.confirm();
    }
  }

  @Override
  public void unclear() {
    boolean unused = end(Outcome.LOADED);
  }

  /** Leaves the trial without a verdict if its load finds nothing. */
  void leaveOpen() {
    open = true;
  }

  @Override
  public void failed() {
    if (end(Outcome.ERROR)) {
      verification.failed(key);
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
    counters.record(entry, outcome);
    release.run();
    return true;
  }

  @Override
  public Scope enter() {
    Scope entered = entered(new Entered(this, INNERMOST.get()));
    Place.Scope placed = Place.enter(place);
    return () -> {
      placed.close();
      entered.close();
    };
  }

  /** Makes the trials of this thread those of another that continues its work. */
  static Supplier<Scope> here() {
    Entered here = INNERMOST.get();
    return here == null ? () -> NOWHERE : () -> entered(here);
  }

  private static Scope entered(Entered trials) {
    Entered outer = INNERMOST.get();
    INNERMOST.set(trials);
    return () -> {
      if (outer == null) {
        INNERMOST.remove();
      } else {
        INNERMOST.set(outer);
      }
    };
  }

  /** A trial under way on a thread, within others. */
  private record Entered(BegunTrial trial, @Nullable Entered outer) {}

  /** Whether a trial of that key is under way on this thread. */
  static boolean isEntered(Verification verification, Object key) {
    Entered inner = INNERMOST.get();
    if (inner == null) {
      return false;
    }
    String canonical = CanonicalKey.of(key);
    for (Entered at = inner; at != null; at = at.outer) {
      if (at.trial.verification == verification && at.trial.key.equals(canonical)) {
        return true;
      }
    }
    return false;
  }

  BooleanSupplier reads() {
    return reads.get();
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
