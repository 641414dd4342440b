package io.bloomguard.guard.internal.writes;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.confirm.Confirmations;
import io.bloomguard.guard.internal.load.CacheLoads;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The caches that guards of one filter use, and the answers kept of its exact source.
 *
 * <p>Writes raise barriers in all of them, and drop their entries.
 */
final class FilterCaches {

  private static final Logger LOG = LoggerFactory.getLogger(FilterCaches.class);

  private final String filter;
  private final KeyFolding folding;
  private final @Nullable Confirmations confirmations;
  private final CopyOnWriteArrayList<CacheLoads> caches = new CopyOnWriteArrayList<>();

  private final Outage failing = new Outage(System::nanoTime);
  private final Outage stuck = new Outage(System::nanoTime);

  FilterCaches(GuardedFilter filter, @Nullable Confirmations confirmations) {
    this.filter = filter.name();
    this.folding = filter.folding();
    this.confirmations = confirmations;
  }

  void reach(CacheLoads cache) {
    if (!caches.contains(cache)) {
      caches.addIfAbsent(cache);
    }
  }

  /** Whether all of them are shared by every process. */
  boolean areShared() {
    return caches.stream().allMatch(cache -> cache.cache().isShared());
  }

  /** A write whose keys come later: until its end, its writer's lookups reject nothing. */
  KeyWrites.Write beginUnnamed(Object writer) {
    String token = UUID.randomUUID().toString();
    List<String> none = List.of(CacheLoads.UNNAMED);
    caches.forEach(cache -> cache.beginWrites(none, writer, token));
    return () -> caches.forEach(cache -> cache.endWrites(none, writer, token));
  }

  /** Drops the entries of keys whose rows have changed. */
  void invalidate(List<String> keys) {
    List<String> held = held(keys);
    if (confirmations != null) {
      confirmations.forget(held);
    }
    caches.forEach(cache -> cache.invalidate(held));
  }

  void dropAll() {
    caches.forEach(CacheLoads::dropAll);
  }

  /**
   * Raises the barriers of a write.
   *
   * @throws AddFailedException if a cache is out of reach
   */
  void raise(List<String> keys, String token, Object writer) {
    List<String> held = held(keys);
    try {
      for (CacheLoads cache : caches) {
        cache.beginWrites(held, writer, token);
        cache.cache().beginWrites(held, token);
      }
    } catch (CacheUnavailableException e) {
      lift(keys, token, writer);
      AddFailedException refusal =
          new AddFailedException(
              "The write is refused: stale entries of filter '"
                  + filter
                  + "' cannot be dropped while its value cache is out of reach",
              e);
      warnOfAdds(refusal);
      throw refusal;
    }
  }

  /** Logs the failure of an add once an outage: its caller gets each. */
  void warnOfAdds(AddFailedException why) {
    if (failing.begins()) {
      LOG.warn(
          "Filter '{}': a write fails, because its keys could not be added. More such failures"
              + " are not logged until a minute has passed without one: {}",
          filter,
          why.getMessage());
    }
  }

  /**
   * Lifts the barriers of a write. False if a cache is out of reach, whose entries may be those
   * from before the write.
   */
  boolean lift(List<String> keys, String token, Object writer) {
    boolean lifted = true;
    List<String> held = held(keys);
    if (confirmations != null) {
      // The answer of a read from before the write's end may lack the write.
      confirmations.forget(held);
    }
    for (CacheLoads cache : caches) {
      cache.endWrites(held, writer, token);
      try {
        cache.cache().endWrites(held, token);
      } catch (CacheUnavailableException e) {
        lifted = false;
        warn(e);
      }
    }
    return lifted;
  }

  /** An interrupted thread says nothing of the cache, and may come often. */
  private void warn(CacheUnavailableException why) {
    if (!Thread.currentThread().isInterrupted() && stuck.begins()) {
      LOG.warn(
          "Filter '{}': barriers of writes cannot be lifted; that is tried once more after"
              + " bloomguard.writes.timeout, and they end by themselves within ten minutes; until"
              + " then their keys leave no null entries: {}",
          filter,
          why.getMessage());
    }
  }

  /** The keys in the form that caches hold; the store gets the original form. */
  List<String> held(List<String> keys) {
    return folding.isExact() ? keys : keys.stream().map(folding::fold).distinct().toList();
  }
}
