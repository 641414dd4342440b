package io.bloomguard.guard.load;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.GuardListener;
import io.bloomguard.guard.GuardListener.LoadListener;
import io.bloomguard.guard.GuardListener.LoadResult;
import io.bloomguard.guard.GuardListener.MutexResult;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.cache.Sharing;
import io.bloomguard.guard.load.SingleFlight.Flight;
import io.bloomguard.guard.load.SingleFlight.Landing;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps that the loads of one cache share, whether they run on the caller's thread, end on
 * another or bring many values: flights, leases, places in the bulkhead, and the steps between
 * them.
 *
 * <p>In this process one flight for each key asks for the lease and loads; the other callers wait
 * for its landing. Between processes the lease of the value cache decides. Without a reachable
 * value cache the flight and the bulkhead still hold.
 *
 * <p>If values are not shared, each caller leads a flight that no other can join. The lease then
 * only prevents stale null entries: a caller that does not get it at once loads without it and
 * stores nothing.
 *
 * <p>Only a transaction's own loads can see the rows that it has written, and no other caller may
 * see them yet: its reads of these keys share nothing.
 */
public final class LoadSteps {

  private static final Logger LOG = LoggerFactory.getLogger(LoadSteps.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Supplier<ValueCache> cache;
  private final SingleFlight flights = new SingleFlight();
  private final RefreshTurns refreshes = new RefreshTurns(flights);
  private final Bulkhead bulkhead;
  private final LoadThreads threads;
  private final LoadSettings settings;
  private final Transactions transactions;
  private final Sharing sharing;

  /** The writes that are under way, by their tokens. */
  private final Map<Written, Set<String>> written = new ConcurrentHashMap<>();

  /** The writers of rows whose keys come later, with the number of such writes. */
  private final Map<Object, Integer> unnamed = new ConcurrentHashMap<>();

  public LoadSteps(
      Supplier<ValueCache> cache,
      Bulkhead bulkhead,
      LoadThreads threads,
      LoadSettings settings,
      Transactions transactions,
      Sharing sharing) {
    this.cache = cache;
    this.bulkhead = bulkhead;
    this.threads = threads;
    this.settings = settings;
    this.transactions = transactions;
    this.sharing = sharing;
  }

  /** Loads in a place of the bulkhead; the calling thread waits for it up to {@code nanos}. */
  public <V, X extends Throwable> @Nullable V inPlace(long nanos, ValueLoader<V, X> loader)
      throws X {
    try (Place place = bulkhead.enter(nanos);
        Place.Scope scope = Place.enter(place)) {
      return loader.load();
    }
  }

  /**
   * Begins the write of {@code keys} by {@code writer}, the owner of a call: later callers get no
   * load that is under way.
   *
   * @param token names the write: its writer may have another of the same key under way, as around
   *     a transaction of its own
   */
  public void beginWrites(Collection<String> keys, Object writer, String token) {
    Set<String> only = Set.of(token);
    for (String key : keys) {
      written.merge(
          new Written(key, writer),
          only,
          (others, mine) ->
              Stream.concat(others.stream(), mine.stream())
                  .collect(Collectors.toUnmodifiableSet()));
      flights.forget(key);
    }
  }

  public void endWrites(Collection<String> keys, Object writer, String token) {
    for (String key : keys) {
      written.computeIfPresent(
          new Written(key, writer),
          (any, tokens) -> {
            Set<String> open =
                tokens.stream()
                    .filter(each -> !each.equals(token))
                    .collect(Collectors.toUnmodifiableSet());
            return open.isEmpty() ? null : open;
          });
      flights.forget(key);
    }
  }

  /** Whether the transaction of this call, which is still open, has written the key. */
  boolean isWrittenHere(String key) {
    return !written.isEmpty()
        && written.containsKey(new Written(key, transactions.owner()))
        && inTransaction();
  }

  /** Begins a write whose keys come later: its writer may look for a row that has no key yet. */
  public void beginUnnamed(Object writer) {
    unnamed.merge(writer, 1, Integer::sum);
  }

  /** Ends such a write. */
  public void endUnnamed(Object writer) {
    unnamed.computeIfPresent(writer, (any, writes) -> writes == 1 ? null : writes - 1);
  }

  /** Whether this call is within such a write. */
  public boolean isUnnamedHere() {
    return !unnamed.isEmpty() && unnamed.containsKey(transactions.owner());
  }

  /** Whether the call is in a transaction. */
  public boolean inTransaction() {
    return transactions.age() != null;
  }

  /** A key that is being written. */
  private record Written(String key, Object writer) {}

  /**
   * The landing that the other callers get of a value, separate from the instance that the caller
   * which loaded it may change.
   */
  <V> Landing<V> landing(LoadRequest<V> request, @Nullable V value, boolean shareable, long asOf) {
    if (value == null || !shareable) {
      return new Landing<>(value, shareable, asOf);
    }
    V another = sharing.another(request.type(), value);
    return new Landing<>(another, another != null, asOf);
  }

  /**
   * The answer of a landing to a caller that waited for it; null if that caller has to try again.
   *
   * @param came the latest moment at which the caller joined
   */
  <V> @Nullable Answer<V> joined(LoadRequest<V> request, Landing<V> landing, long came) {
    if (came - landing.asOf() > 0) {
      return null;
    }
    Landing<V> mine = landing(request, landing.value(), landing.shareable(), landing.asOf());
    return mine.shareable() ? Answer.cached(mine.value()) : null;
  }

  /**
   * Stores the value that a flight has loaded since {@code begin}, and returns its landing. The
   * flight takes no further callers: a write that ends after the value was stored does not revoke
   * it.
   */
  <V> Landing<V> stored(
      LoadRequest<V> request,
      Flight<V> flight,
      LoadPermit<V> permit,
      @Nullable V value,
      long begin) {
    flights.end(request.key(), flight);
    long asOf = System.nanoTime();
    V kept = request.type().kept(value);
    return landing(request, kept, settle(request, permit, kept, begin), asOf);
  }

  public <V, X extends Throwable> @Nullable V timed(
      ValueLoader<V, X> loader, GuardListener listener) throws X {
    long begin = System.nanoTime();
    LoadListener load = listener.onLoad();
    LoadResult result = LoadResult.ERROR;
    try {
      V value = loader.load();
      result = value != null ? LoadResult.FOUND : LoadResult.ABSENT;
      return value;
    } finally {
      load.onReturn();
      load.onEnd(result, System.nanoTime() - begin);
    }
  }

  /**
   * Stores the value loaded since {@code begin} and ends the lease. False if a write may have come
   * between: callers that arrived after that write must not get this value.
   */
  private boolean settle(
      LoadRequest<?> request, LoadPermit<?> permit, @Nullable Object value, long begin) {
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    Lease lease = permit.lease();
    if (!isStorable(request, permit, value, took)
        || lease != null && outdated(request, view().used(begin))) {
      giveUp(request, permit);
      return false;
    }
    if (lease == null) {
      return true;
    }
    try {
      return request.cache().store(lease, value, request.type()) != StoreResult.REVOKED;
    } catch (CacheUnavailableException e) {
      // A write may have revoked the lease meanwhile.
      LOG.debug("A loaded value could not be cached", e);
      return false;
    }
  }

  /** Whether other callers may get the result of a load. */
  boolean isStorable(
      LoadRequest<?> request, LoadPermit<?> permit, @Nullable Object value, Duration loadTime) {
    if (loadTime.compareTo(settings.timeout()) > 0) {
      LOG.warn("A load took longer than its time limit of {}", settings.timeout());
    }
    return !permit.outdated()
        && (value == null
            || (request.type().findings().of(value) != Finding.OTHER
                && sharing.shares(request.type(), value)));
  }

  /**
   * The permit to load with {@code view}, or null while another process holds the lease and has
   * stored nothing, or the cache is too slow to tell: a caller that took its silence for absence
   * would load beside the holder. If values are not shared, there is nothing to wait for.
   */
  <V> @Nullable LoadPermit<V> tryAcquire(LoadRequest<V> request, ReadView view, long start) {
    if (!shares(request)) {
      return withoutWait(request, view);
    }
    Lease lease = null;
    Answer<V> found;
    long asOf;
    try {
      lease = request.cache().tryLease(request.key());
      asOf = System.nanoTime();
      // The previous holder of the lease may have stored between our miss and now.
      found = answer(request, request.cache().lookAgain(request.key(), request.type()));
    } catch (CacheUnavailableException e) {
      if (lease != null) {
        release(request, lease);
      }
      if (e.isSlow()) {
        LOG.debug("The value cache is slow; asking again", e);
        return null;
      }
      LOG.debug("No lease is available; loading under this process' own flight", e);
      return LoadPermit.toLoad(null, inTransaction());
    }
    if (found != null) {
      if (lease != null) {
        release(request, lease);
      }
      request.listener().onMutexWait(MutexResult.SHARED, System.nanoTime() - start);
      return new LoadPermit<>(found, asOf, null, false);
    }
    if (lease == null) {
      return null;
    }
    request.listener().onMutexWait(MutexResult.ACQUIRED, System.nanoTime() - start);
    return LoadPermit.toLoad(lease, outdated(request, view));
  }

  /** The permit to load for this caller alone, and to store a null entry if the lease is free. */
  private <V> LoadPermit<V> withoutWait(LoadRequest<V> request, ReadView view) {
    Lease lease = null;
    try {
      lease = request.cache().tryLease(request.key());
    } catch (CacheUnavailableException e) {
      LOG.debug("No lease is available; no null entry will be stored", e);
    }
    return LoadPermit.toLoad(lease, lease == null || outdated(request, view));
  }

  /** Whether other callers may get the value that one loads. */
  boolean shares(LoadRequest<?> request) {
    return sharing.shares(request.type());
  }

  /**
   * Whether a write that {@code view} may not show has ended already. Called once the lease is
   * held: a write that ends later revokes it.
   */
  boolean outdated(LoadRequest<?> request, ReadView view) {
    if (!view.mayBeOld()) {
      return false;
    }
    try {
      return view.mayLack(request.cache().lastWrite(request.key()));
    } catch (CacheUnavailableException e) {
      LOG.debug("It is unknown whether the key was written", e);
      return true;
    }
  }

  /** The view of a load on the calling thread. */
  public ReadView view() {
    return ReadView.of(transactions);
  }

  /**
   * {@return a value once the transaction of this call has ended, at once if there is none, and
   * never if it was rolled back}
   */
  public <T> CompletableFuture<T> afterTransaction(T value) {
    CompletableFuture<T> after = new CompletableFuture<>();
    boolean later =
        inTransaction()
            && transactions.register(
                () -> {},
                end -> {
                  if (end != End.ROLLED_BACK) {
                    after.complete(value);
                  }
                });
    if (!later) {
      after.complete(value);
    }
    return after;
  }

  /** Whether a transaction is bound to the calling thread, which its work must not leave. */
  public boolean staysOnThread() {
    return inTransaction() && transactions.owner() instanceof Thread;
  }

  /** A task for another thread, in the transaction that this call was entered into. */
  public Runnable carried(Runnable task) {
    Object owner = transactions.owner();
    return owner instanceof Thread
        ? task
        : () -> {
          try (Transactions.Scope scope = transactions.enter(owner)) {
            task.run();
          }
        };
  }

  RequestShedException waitedTooLong(LoadRequest<?> request, long start) {
    request.listener().onMutexWait(MutexResult.TIMEOUT, System.nanoTime() - start);
    return new RequestShedException(
        "Waited " + settings.maxWait() + " for another caller's load", RETRY_AFTER);
  }

  /** The time that a load may queue for its place. */
  public long queueing(boolean queues, long start) {
    return queues ? Math.min(remaining(start), settings.maxQueue().toNanos()) : 0;
  }

  long remaining(long start) {
    return Math.max(0, settings.maxWait().toNanos() - (System.nanoTime() - start));
  }

  <V> @Nullable Answer<V> lookup(LoadRequest<V> request) {
    return answer(request, look(request));
  }

  /** The entry in the cache; a miss if the cache is out of reach. */
  <V> CacheLookup<V> look(LoadRequest<V> request) {
    try {
      return request.cache().lookup(request.key(), request.type());
    } catch (CacheUnavailableException e) {
      LOG.debug("The value cache was bypassed", e);
      return CacheLookup.miss();
    }
  }

  /** The answer of {@code cached} to a caller that takes shared values, or to one that does not. */
  static <V> @Nullable Answer<V> answer(LoadRequest<V> request, CacheLookup<V> cached) {
    if (cached instanceof CacheLookup.Hit<V> hit) {
      return request.type().shared() ? Answer.cached(hit.value()) : null;
    }
    if (cached instanceof CacheLookup.Due<V> due) {
      return request.type().shared() ? Answer.cached(due.value()) : null;
    }
    return cached instanceof CacheLookup.NullHit<V> ? Answer.cached(null) : null;
  }

  /** Ends the lease of a load that stores nothing. */
  void giveUp(LoadRequest<?> request, LoadPermit<?> permit) {
    Lease lease = permit.lease();
    if (lease != null) {
      release(request, lease);
    }
  }

  void release(LoadRequest<?> request, Lease lease) {
    try {
      request.cache().release(lease);
    } catch (CacheUnavailableException e) {
      LOG.debug("A lease could not be released and ends by itself", e);
    }
  }

  /** Ends the lease of a load that stores nothing, without waiting for it. */
  void releaseAsync(ValueCache cache, Lease lease) {
    try {
      var unused =
          cache
              .async(threads)
              .release(lease)
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure != null) {
                      LOG.debug("A lease could not be released and ends by itself", failure);
                    }
                  });
    } catch (CacheUnavailableException e) {
      LOG.debug("A lease could not be released and ends by itself", e);
    }
  }

  public ValueCache cache() {
    return cache.get();
  }

  /** The value cache in the form for one call, which asks it for the same keys several times. */
  public ValueCache cacheOfCall() {
    return cache.get().ofCall();
  }

  /** The turns of callers to load a value that is due. */
  RefreshTurns refreshes() {
    return refreshes;
  }

  SingleFlight flights() {
    return flights;
  }

  public LoadSettings settings() {
    return settings;
  }

  public Bulkhead bulkhead() {
    return bulkhead;
  }

  public LoadThreads threads() {
    return threads;
  }
}
