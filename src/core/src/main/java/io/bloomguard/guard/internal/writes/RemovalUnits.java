package io.bloomguard.guard.internal.writes;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The units of work within which a key leaves a filter once, however many ways announce it: calls
 * of deleting methods, one within the other, and the transaction around them.
 *
 * <p>Two deletions of equal keys within one unit, with an insert between them, leave a false
 * positive.
 */
final class RemovalUnits {

  /** The keys that a unit remembers; those after them stay in the filter as false positives. */
  static final int MOST = 1_000_000;

  /** Weak: a thread may begin no other unit for long after another one has ended its own. */
  private final ThreadLocal<@Nullable WeakReference<Unit>> units = new ThreadLocal<>();

  /** Joins the unit of the calling thread, or begins one. The caller leaves it, on any thread. */
  Unit enter() {
    Unit current = current();
    if (current == null || !current.join()) {
      current = new Unit();
      units.set(new WeakReference<>(current));
    }
    return current;
  }

  private @Nullable Unit current() {
    WeakReference<Unit> held = units.get();
    return held == null ? null : held.get();
  }

  /**
   * The keys removed in one unit. It knows them after its last holder has left, too: a call that
   * returns a future may announce its key once more when that completes.
   */
  final class Unit {

    private final Set<String> removed = new HashSet<>();
    private int holders = 1;

    private Unit() {}

    private synchronized boolean join() {
      if (holders == 0) {
        return false;
      }
      holders++;
      return true;
    }

    void leave() {
      if (countDown() && current() == this) {
        units.remove();
      }
    }

    private synchronized boolean countDown() {
      return --holders == 0;
    }

    /** Those of {@code keys} that were not removed in this unit before. */
    synchronized List<String> first(Collection<String> keys) {
      List<String> first = new ArrayList<>(keys.size());
      for (String key : keys) {
        if (removed.size() < MOST && removed.add(key)) {
          first.add(key);
        }
      }
      return first;
    }

    /** Forgets keys whose removal has certainly not taken place. */
    synchronized void forget(List<String> keys) {
      keys.forEach(removed::remove);
    }
  }
}
