package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardListener.MutexResult;
import io.bloomguard.guard.internal.Held;
import io.bloomguard.guard.internal.cache.Sharing;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import io.bloomguard.guard.internal.load.SingleFlight.Landing;
import java.nio.channels.ClosedByInterruptException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loads of one cache, and what they share: flights, bulkhead, writes that are under way, and
 * the rules for what one load may give to another.
 *
 * <p>Only a transaction's own loads can see the rows that it has written, and no other caller may
 * see them yet: its reads of these keys share nothing.
 */
public final class CacheLoads {

  private static final Logger LOG = LoggerFactory.getLogger(CacheLoads.class);

  /** The bound on the causes of a failure that are looked at. */
  private static final int CAUSES = 20;

  private final Supplier<ValueCache> cache;
  final SingleFlight flights = new SingleFlight();

  /** The pauses between the loads of a value that is due. */
  final RefreshPauses refreshes = new RefreshPauses(System::nanoTime);

  private final SharedBounds shared;
  private final Sharing sharing;

  /** Stands for the keys of a write that come later: its writer may look for a row without one. */
  public static final String UNNAMED = "";

  /** The writes that are under way, by their tokens. */
  private final Map<Written, Set<String>> written = new ConcurrentHashMap<>();

  public CacheLoads(Supplier<ValueCache> cache, SharedBounds shared, Sharing sharing) {
    this.cache = cache;
    this.shared = shared;
    this.sharing = sharing;
  }

  /**
   * The value of a key from the cache, from another caller's load, or from {@code loader}, which is
   * called on this thread.
   *
   * <p>Between its lookup and its load a caller may wait for a flight, a lease and a place,
   * together no longer than {@code mutex.wait}. A request that the filter could not decide does not
   * queue for the bulkhead, unless the key was present when the filter last could: while the filter
   * is out of action, all other requests that the database cannot take at once are shed.
   */
  public <V, X extends Throwable> Answer<V> get(LoadRequest<V> request, ValueLoader<V, X> loader)
      throws X {
    CacheLookup<V> held = isWrittenHere(request.key()) ? CacheLookup.miss() : look(request);
    Answer<V> cached = answer(request, held);
    if (cached != null && !(held instanceof CacheLookup.Due && refreshes.isOver(request.key()))) {
      return cached;
    }
    KeyLoad<V> load = new KeyLoad<>(this, request, true, AsyncLoader.of(loader));
    load.start(held);
    return LoadStages.<Answer<V>, X>result(load.answer);
  }

  /**
   * {@link #get} for a caller whose thread must not wait. The call runs on that thread until it
   * first has to wait. Inside a transaction of the thread its load belongs into that: it stays
   * there as long as it waits for nothing but the cache.
   *
   * @param waits whether the calling thread waits all the same: the answer is there then
   */
  public <V> CompletableFuture<Answer<V>> load(
      LoadRequest<V> request, AsyncLoader<V> loader, boolean waits) {
    if (!waits && !threads().tryBegin()) {
      return CompletableFuture.failedFuture(LoadThreads.tooManyCalls());
    }
    KeyLoad<V> load = new KeyLoad<>(this, request, waits, loader);
    var unused =
        load.answer.whenComplete(
            (answer, failure) -> {
              load.endPatience();
              if (!waits) {
                threads().end();
              }
            });
    load.start();
    return load.answer;
  }

  /**
   * Begins the write of {@code keys} by {@code writer}, the owner of a call: later callers get no
   * load that is under way.
   *
   * @param token names the write: its writer may have another of the same key under way, as around
   *     a transaction of its own
   */
  public void beginWrites(Collection<String> keys, Object writer, String token) {
    change(keys, writer, open -> open.add(token));
  }

  public void endWrites(Collection<String> keys, Object writer, String token) {
    change(keys, writer, open -> open.remove(token));
  }

  /** Changes the tokens of a writer's open writes. */
  private void change(Collection<String> keys, Object writer, Consumer<Set<String>> tokens) {
    for (String key : keys) {
      written.compute(
          new Written(key, writer),
          (any, others) -> {
            Set<String> open = new HashSet<>(others == null ? Set.of() : others);
            tokens.accept(open);
            return open.isEmpty() ? null : open;
          });
      flights.forget(key);
    }
  }

  /** Drops what is kept of keys whose rows another program has changed. */
  public void invalidate(List<String> keys) {
    keys.forEach(flights::forget);
    cache().invalidate(keys);
  }

  /** Drops all entries of the cache: later callers get no load that is under way. */
  public void dropAll() {
    flights.forgetAll();
    cache().dropAll();
  }

  /** Whether the transaction of this call, which is still open, has written the key. */
  boolean isWrittenHere(String key) {
    return isOpenHere(key) && inTransaction();
  }

  /** Whether this call is within a write whose keys come later. */
  public boolean isUnnamedHere() {
    return isOpenHere(UNNAMED);
  }

  private boolean isOpenHere(String key) {
    return !written.isEmpty()
        && written.containsKey(new Written(key, shared.transactions().owner()));
  }

  /** Whether the call is in a transaction. */
  public boolean inTransaction() {
    return shared.transactions().isActive();
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
   * Calls a loader, and tells its listener of the load.
   *
   * @param held what the loader works in; null for nothing
   * @param waits whether the calling thread waits for the load, which has no time limit then, since
   *     it cannot be stopped
   * @param overdue called at the time limit
   * @return the end of the load, as it is
   */
  public <V> CompletableFuture<@Nullable V> run(
      AsyncLoader<V> loader,
      @Nullable Held held,
      GuardListener listener,
      boolean waits,
      Runnable overdue) {
    CompletableFuture<@Nullable V> end = new CompletableFuture<>();
    long begin = System.nanoTime();
    try {
      Future<?> limit = waits ? null : threads().after(settings().timeout().toNanos(), overdue);
      LoadListener load = listener.onLoad();
      CompletionStage<? extends @Nullable V> stage = loader.within(held);
      load.onReturn();
      stage.whenComplete(
          (value, failure) -> {
            if (limit != null) {
              limit.cancel(false);
            }
            try {
              load.onEnd(LoadStages.result(value, failure), System.nanoTime() - begin);
              LoadStages.end(end, value, failure);
            } catch (Throwable e) {
              // Without an end the caller would wait for ever, and hold its place.
              end.completeExceptionally(e);
            }
          });
    } catch (Throwable e) {
      end.completeExceptionally(e);
    }
    return end;
  }

  /**
   * Takes flight and lease of a key that is loaded in {@code place}, at once or not at all. The
   * value of such a load is neither stored nor shared.
   *
   * @return gives both back; null if another caller has one of them
   */
  public CompletableFuture<@Nullable Runnable> tryTake(String key, Place place, boolean waits) {
    Flight<Object> flight = new Flight<>(waits ? Thread.currentThread() : null);
    flight.loadsIn(place);
    if (flights.joinOrStart(key, flight) != null) {
      return CompletableFuture.completedFuture(null);
    }
    ValueCache call = cacheOfCall();
    if (waits || call.answersInMemory() || staysOnThread()) {
      return CompletableFuture.completedFuture(tryTake(key, flight, call));
    }
    try {
      return threads()
          .on(
              threads().waiting(),
              () -> CompletableFuture.completedFuture(tryTake(key, flight, call)));
    } catch (RequestShedException e) {
      flights.landNothing(key, flight);
      return CompletableFuture.completedFuture(null);
    }
  }

  private @Nullable Runnable tryTake(String key, Flight<Object> flight, ValueCache call) {
    Lease lease = null;
    try {
      lease = call.tryLease(key);
    } catch (RuntimeException e) {
      LOG.debug("A rejection is not verified: no lease is available", e);
    }
    Lease taken = lease;
    if (taken == null) {
      flights.landNothing(key, flight);
      return null;
    }
    return () -> {
      release(call, taken, false);
      flights.landNothing(key, flight);
    };
  }

  /** {@link #run} on the calling thread. */
  public <V, X extends Throwable> @Nullable V timed(
      ValueLoader<V, X> loader, GuardListener listener) throws X {
    return LoadStages.<@Nullable V, X>result(
        run(AsyncLoader.of(loader), null, listener, true, () -> {}));
  }

  /** Whether other callers may get {@code value}, which was loaded as {@code type}. */
  boolean shares(ValueType<?> type, @Nullable Object value) {
    return value == null || sharing.shares(type, value);
  }

  /** Whether values are kept, so that later callers may get what one loads. */
  boolean shares(LoadRequest<?> request) {
    return sharing.shares(request.type());
  }

  /** Whether callers at the same time may get the value that one loads. */
  boolean joins(LoadRequest<?> request) {
    return sharing.shares(request.joins() ? request.type().shareable() : request.type());
  }

  /** The view of a load on the calling thread. */
  public ReadView view() {
    return ReadView.of(shared.transactions());
  }

  /**
   * {@return a value once the transaction of this call has ended, at once if there is none, and
   * never if it was rolled back}
   */
  public <T> CompletableFuture<T> afterTransaction(T value) {
    CompletableFuture<T> after = new CompletableFuture<>();
    Transactions.Completion completion =
        end -> {
          if (end != End.ROLLED_BACK) {
            after.complete(value);
          }
        };
    if (!inTransaction() || !shared.transactions().register(() -> {}, completion)) {
      completion.completed(End.COMMITTED);
    }
    return after;
  }

  /** Whether a transaction is bound to the calling thread, which its work must not leave. */
  public boolean staysOnThread() {
    return inTransaction() && shared.transactions().owner() instanceof Thread;
  }

  /** A task for another thread, in the transaction that this call was entered into. */
  public Runnable carried(Runnable task) {
    Object owner = shared.transactions().owner();
    return owner instanceof Thread
        ? task
        : () -> {
          try (Scope scope = shared.transactions().enter(owner)) {
            task.run();
          }
        };
  }

  /** Whether a load has failed because the thread was interrupted that it ran on. */
  static boolean isInterrupted(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < CAUSES; depth++) {
      if (cause instanceof InterruptedException || cause instanceof ClosedByInterruptException) {
        return true;
      }
      cause = cause.getCause();
    }
    return Thread.currentThread().isInterrupted();
  }

  /** The refusal of a caller that may not wait. */
  static RequestShedException interrupted() {
    return new RequestShedException(
        "The calling thread is interrupted, so it waits for no load; call again on a thread that is"
            + " not");
  }

  RequestShedException waitedTooLong(LoadRequest<?> request, long start) {
    request.listener().onMutexWait(MutexResult.TIMEOUT, System.nanoTime() - start);
    if (Thread.currentThread().isInterrupted()) {
      return interrupted();
    }
    return new RequestShedException(
        "Waited " + settings().maxWait() + " for another caller's load");
  }

  /** The time that a load may queue for its place. */
  public long queueing(boolean queues, long start) {
    return queues ? Math.min(remaining(start), settings().maxQueue().toNanos()) : 0;
  }

  long remaining(long start) {
    return Math.max(0, settings().maxWait().toNanos() - (System.nanoTime() - start));
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

  /**
   * Ends the lease of a load that stores nothing.
   *
   * @param here whether the calling thread may wait for that
   */
  void release(ValueCache cache, Lease lease, boolean here) {
    Runnable release =
        () -> {
          try {
            cache.release(lease);
          } catch (RuntimeException e) {
            LOG.debug("A lease could not be released and ends by itself", e);
          }
        };
    if (here || cache.answersInMemory()) {
      release.run();
      return;
    }
    try {
      threads().waiting().execute(release);
    } catch (RequestShedException e) {
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

  public LoadSettings settings() {
    return shared.settings();
  }

  public Bulkhead bulkhead() {
    return shared.bulkhead();
  }

  public LoadThreads threads() {
    return shared.threads();
  }
}
