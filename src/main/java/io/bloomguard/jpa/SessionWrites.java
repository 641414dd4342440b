package io.bloomguard.jpa;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Entry;
import io.bloomguard.guard.ValueType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.hibernate.SessionEventListener;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionObserver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of one session: gathered while it flushes, begun in one step for each filter before
 * its first statement, open until its transaction has completed.
 *
 * <p>Like its session it belongs to one thread at a time.
 */
final class SessionWrites implements SessionEventListener, TransactionObserver {

  private static final Logger log = LoggerFactory.getLogger(SessionWrites.class);

  private final Supplier<? extends BloomGuards> guards;
  private final Runnable onEnd;
  private final TransactionCoordinator coordinator;
  private final Map<String, Keys> filters = new LinkedHashMap<>();
  private final List<BloomGuard.Write> open = new ArrayList<>();
  private boolean inTransaction;

  /**
   * @param onEnd runs when the session is closed
   */
  SessionWrites(
      SharedSessionContractImplementor session,
      Supplier<? extends BloomGuards> guards,
      Runnable onEnd) {
    this.guards = guards;
    this.onEnd = onEnd;
    this.coordinator = session.getTransactionCoordinator();
    session.getEventListenerManager().addListener(this);
    coordinator.addObserver(this);
  }

  /** Gathers a key that a row will have. */
  void add(EntityKey key, @Nullable Object value) {
    if (value != null) {
      keys(key).add(value);
    }
  }

  /** Gathers a key that a row has, unless its write is open. */
  void addUnlessWritten(EntityKey key, @Nullable Object value) {
    if (value != null && !keys(key).isWritten(value)) {
      keys(key).add(value);
    }
  }

  /** Gathers a key whose row changes or goes. */
  void change(EntityKey key, @Nullable Object value) {
    if (value != null) {
      keys(key).change(value);
    }
  }

  private Keys keys(EntityKey key) {
    return filters.computeIfAbsent(key.filter(), filter -> new Keys());
  }

  /**
   * Begins the write of what was gathered and is not open yet.
   *
   * @throws io.bloomguard.guard.AddFailedException if it could not be stored
   */
  void begin() {
    for (Map.Entry<String, Keys> entry : filters.entrySet()) {
      Keys keys = entry.getValue();
      if (keys.isGathered()) {
        inTransaction = coordinator.isTransactionActive();
        BloomGuard<?> guard = guard(entry.getKey());
        open.add(guard.beginWrites(keys.newAdded, keys.newChanged));
        keys.begun();
      }
    }
  }

  /** A statement outside of a transaction has ended, and its row is visible. */
  void closeUnlessInTransaction() {
    if (!inTransaction) {
      close();
    }
  }

  private void close() {
    inTransaction = false;
    filters.clear();
    List<BloomGuard.Write> ended = List.copyOf(open);
    open.clear();
    for (BloomGuard.Write write : ended) {
      try {
        write.close();
      } catch (RuntimeException e) {
        // The barrier ends by itself, and what else the session has to do must be done.
        log.warn("A write could not be ended: {}", e.getClass().getName());
      }
    }
  }

  @Override
  public void afterBegin() {
    // What is gathered belongs to a flush.
  }

  @Override
  public void beforeCompletion() {
    open.forEach(BloomGuard.Write::renew);
  }

  @Override
  public void afterCompletion(boolean successful, boolean delayed) {
    close();
  }

  /** What was gathered for a flush that was not carried out is gathered again by the next. */
  @Override
  public void flushStart() {
    filters.values().forEach(Keys::forget);
  }

  @Override
  public void partialFlushStart() {
    flushStart();
  }

  @Override
  public void flushEnd(int numberOfEntities, int numberOfCollections) {
    closeUnlessInTransaction();
  }

  /** A transaction may outlive its session; its completion then ends the writes. */
  @Override
  public void end() {
    onEnd.run();
    if (!coordinator.isTransactionActive()) {
      close();
      coordinator.removeObserver(this);
    }
  }

  /** The keys of one filter that this transaction writes. */
  private static final class Keys {

    private final Set<Object> added = new LinkedHashSet<>();
    private final Set<Object> changed = new LinkedHashSet<>();
    private final Set<Object> newAdded = new LinkedHashSet<>();
    private final Set<Object> newChanged = new LinkedHashSet<>();

    void add(Object key) {
      if (!added.contains(key)) {
        newAdded.add(key);
      }
    }

    void change(Object key) {
      if (!isWritten(key)) {
        newChanged.add(key);
      }
    }

    boolean isWritten(Object key) {
      return added.contains(key) || changed.contains(key);
    }

    boolean isGathered() {
      return !newAdded.isEmpty() || !newChanged.isEmpty();
    }

    void begun() {
      added.addAll(newAdded);
      changed.addAll(newChanged);
      forget();
    }

    void forget() {
      newAdded.clear();
      newChanged.clear();
    }
  }

  /** By a name, so that it does not count as code that may ask with keys of any type. */
  private BloomGuard<Object> guard(String filter) {
    return guards
        .get()
        .guard(filter, filter, new ValueType<>(Object.class), Entry.METHOD, "@BloomKey");
  }
}
