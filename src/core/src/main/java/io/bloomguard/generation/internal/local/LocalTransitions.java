package io.bloomguard.generation.internal.local;

import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.internal.KnownFalsePositives;
import io.bloomguard.generation.internal.local.LocalState.Generation;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The present state of a local filter, which each transition replaces as a whole.
 *
 * <p>Adds share a lock that a transition takes exclusively; checks take none.
 */
final class LocalTransitions {

  private final String filter;
  private final LongSupplier ticker;

  /** The lock that adds share. */
  private final Lock adding;

  /** The lock that blocks adds while the state is replaced. */
  private final Lock transition;

  private volatile LocalState state;
  private volatile boolean keepsPrevious = true;

  /**
   * @param filter the filter's name, for messages
   * @param ticker a monotonic clock, in nanoseconds
   */
  LocalTransitions(String filter, LocalState state, LongSupplier ticker) {
    this.filter = filter;
    this.state = state;
    this.ticker = ticker;
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    this.adding = lock.readLock();
    this.transition = lock.writeLock();
  }

  /** The present state. While {@link #adding} is held no transition replaces it. */
  LocalState state() {
    return state;
  }

  /** Sets whether the generation before the serving one is kept. */
  void keepPrevious(boolean keeps) {
    keepsPrevious = keeps;
  }

  /** The lock that an add holds while it adds to every generation of the state. */
  Lock adding() {
    return adding;
  }

  /**
   * Begins to build the next generation.
   *
   * @param begun makes its build; if it throws, no generation is being built
   * @throws BuildRunningException if a generation is being built already
   */
  <T> T register(MembershipFilter bits, KnownFalsePositives known, Function<Generation, T> begun) {
    transition.lock();
    try {
      LocalState now = state;
      if (now.building != null) {
        throw new BuildRunningException(filter);
      }
      LocalState next = now.withBuilding(bits, known);
      T build = begun.apply(Objects.requireNonNull(next.building));
      state = next;
      return build;
    } finally {
      transition.unlock();
    }
  }

  /**
   * Serves the generation that was being built.
   *
   * @throws IllegalStateException if that generation was given up
   */
  void publish(Generation built) {
    transition.lock();
    try {
      LocalState now = state;
      if (now.building != built) {
        throw new IllegalStateException(
            "Generation " + built.number + " of filter '" + filter + "' was given up");
      }
      LocalState next = now.published(ticker.getAsLong());
      state = keepsPrevious ? next : next.withoutPrevious();
    } finally {
      transition.unlock();
    }
  }

  /** Gives up the generation being built, if it is {@code built}. */
  void giveUp(Generation built) {
    transition.lock();
    try {
      LocalState now = state;
      if (now.building == built) {
        state = now.withoutBuilding();
      }
    } finally {
      transition.unlock();
    }
  }

  /** Serves the previous generation again; false if none is kept. */
  boolean rollBack() {
    transition.lock();
    try {
      LocalState now = state;
      if (now.previous == null) {
        return false;
      }
      state = now.rolledBack(ticker.getAsLong());
      return true;
    } finally {
      transition.unlock();
    }
  }

  /** Gives up the previous generation, once its grace period is over. */
  void endGrace(long graceNanos) {
    long time = ticker.getAsLong();
    transition.lock();
    try {
      LocalState now = state;
      if (now.previous != null && time - now.swapped > graceNanos) {
        state = now.withoutPrevious();
      }
    } finally {
      transition.unlock();
    }
  }

  /** Judges the serving snapshot by keys of the source, if that is due. */
  void prove(Snapshot snapshot, List<String> keys) {
    transition.lock();
    try {
      LocalState now = state;
      Generation serving = now.serving;
      if (serving == null || serving.snapshotTime == null || !snapshot.isProofDue()) {
        return;
      }
      switch (snapshot.prove(serving.bits, keys)) {
        case TRUSTED -> serving.deny();
        case REFUSED -> state = now.withoutServing();
        case DOUBTED -> {}
      }
    } finally {
      transition.unlock();
    }
  }
}
