package io.bloomguard.guard.verify;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.OutcomeCounters;
import io.bloomguard.guard.load.Place;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One rejected key that goes to the load nevertheless, so that the load can show whether the
 * rejection was right.
 *
 * <p>It ends once, by {@link #found}, {@link #absent} or {@link #failed}, on any thread, and then
 * records the outcome of its key: {@code loaded}, {@code rejected} or {@code error}. A trial that
 * is closed without a verdict has failed.
 */
public final class Trial implements AutoCloseable {

  private static final ThreadLocal<@Nullable Entered> INNERMOST = new ThreadLocal<>();

  private final Verification verification;
  private final String key;
  private final int hash;
  private final EntryPoint entry;
  private final String caller;
  private final OutcomeCounters counters;
  private final BooleanSupplier mayBeOlder;
  private final @Nullable Place place;
  private final Runnable release;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean open;

  Trial(
      Verification verification,
      String key,
      int hash,
      EntryPoint entry,
      String caller,
      OutcomeCounters counters,
      BooleanSupplier mayBeOlder,
      @Nullable Place place,
      Runnable release) {
    this.verification = verification;
    this.key = key;
    this.hash = hash;
    this.entry = entry;
    this.caller = caller;
    this.counters = counters;
    this.mayBeOlder = mayBeOlder;
    this.place = place;
    this.release = release;
  }

  /** The load found a value: the key was wrongly rejected unless the filter has it by now. */
  public void found() {
    if (end(Outcome.LOADED)) {
      verification.judge(this);
    }
  }

  /**
   * The load found nothing: the key was rightly rejected, unless another guard rejected it
   * meanwhile, perhaps one that the load met on another thread.
   */
  public void absent() {
    if (end(Outcome.REJECTED) && !open) {
      verification.confirm();
    }
  }

  /** Leaves the trial without a verdict if its load finds nothing. */
  void leaveOpen() {
    open = true;
  }

  /** The load failed, or its result does not show whether the key exists: no verdict. */
  public void failed() {
    if (end(Outcome.ERROR)) {
      verification.failed(key);
    }
  }

  /** As {@link #failed}, if no verdict was given. */
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

  /**
   * Lets the key pass every other guard of the filter that is asked on this thread, until the
   * answer is closed: only the load itself shows whether the key exists. Loads in that scope take
   * no place of their own.
   */
  public Scope enter() {
    Entered outer = INNERMOST.get();
    INNERMOST.set(new Entered(this, outer));
    Place.Scope placed = Place.enter(place);
    return () -> {
      placed.close();
      if (outer == null) {
        INNERMOST.remove();
      } else {
        INNERMOST.set(outer);
      }
    };
  }

  /** A part of a thread's work. */
  public interface Scope extends AutoCloseable {

    /** Ends the scope, on the thread that began it. */
    @Override
    void close();
  }

  /** A trial under way on a thread, within others. */
  private record Entered(Trial trial, @Nullable Entered outer) {}

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

  boolean mayBeOlder() {
    return mayBeOlder.getAsBoolean();
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
