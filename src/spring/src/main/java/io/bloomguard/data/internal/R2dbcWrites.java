package io.bloomguard.data.internal;

import io.bloomguard.data.internal.KeyedAggregates.Keyed;
import io.bloomguard.guard.EntityKeyException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.data.r2dbc.core.R2dbcEntityOperations;
import org.springframework.data.r2dbc.mapping.OutboundRow;
import org.springframework.data.r2dbc.mapping.event.AfterSaveCallback;
import org.springframework.data.r2dbc.mapping.event.BeforeSaveCallback;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;
import org.springframework.data.relational.core.query.Criteria;
import org.springframework.data.relational.core.query.Query;
import org.springframework.data.relational.core.sql.SqlIdentifier;
import org.springframework.util.function.SingletonSupplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The callbacks of saves of Spring Data R2DBC.
 *
 * <p>Spring Data reports a save before the statement and after it, when the id that the database
 * has generated is known, but no deletion. Unlike those of other libraries, the writes begin before
 * the statement rather than at the commit: a read in the transaction need not wait for them then.
 */
public final class R2dbcWrites
    implements BeforeSaveCallback<Object>,
        AfterSaveCallback<Object>,
        SmartInitializingSingleton,
        Ordered {

  private final Supplier<? extends EntryGuards> guards;
  private final Transactions transactions;
  private final KeyedAggregates aggregates;
  private final Supplier<R2dbcEntityOperations> stored;
  private final Supplier<UnaryOperator<Object>> boundary = SingletonSupplier.of(this::boundary);
  private final int maxKeys;
  private final Map<Object, Unit> open = new ConcurrentHashMap<>();

  /**
   * The writes of an application's rows.
   *
   * @param guards the guards, called at the first write, or once all beans exist
   * @param transactions those that the saves belong to
   * @param context the mapping of classes to tables
   * @param stored the operations that read the stored state of rows
   * @param maxKeys the most keys of one transaction
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  public R2dbcWrites(
      Supplier<? extends EntryGuards> guards,
      Transactions transactions,
      RelationalMappingContext context,
      Supplier<R2dbcEntityOperations> stored,
      int maxKeys,
      Function<String, @Nullable String> scopes) {
    this.guards = guards;
    this.transactions = transactions;
    this.stored = stored;
    this.maxKeys = maxKeys;
    this.aggregates =
        new KeyedAggregates(
            context,
            scopes,
            (attribute, value) ->
                stored.get().getConverter().writeValue(value, attribute.getTypeInformation()));
  }

  /** The order after the callbacks of the application, which may change the row. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  /**
   * Compiles the keys of all rows.
   *
   * @throws EntityKeyException for the first that cannot be applied
   */
  @Override
  public void afterSingletonsInstantiated() {
    aggregates.verify(guards.get());
    for (Keyed keyed : aggregates.all()) {
      RelationalPersistentProperty id = keyed.entity().getIdProperty();
      if (id != null && id.isEntity() && mayChange(keyed)) {
        throw AggregateKey.refusal(
            keyed.entity(),
            "has a key beside its id, which has parts, so the key before a change is not read",
            "Use @BloomPut and @BloomEvict on the methods that write it");
      }
    }
  }

  /**
   * {@return whether the annotations that {@code type} declares are those of a row}
   *
   * @param type a class of any kind
   */
  public boolean maps(Class<?> type) {
    return aggregates.maps(type);
  }

  @Override
  public Publisher<Object> onBeforeSave(Object row, OutboundRow columns, SqlIdentifier table) {
    Keyed keyed = aggregates.of(row.getClass());
    if (keyed == null) {
      return Mono.just(row);
    }
    Object id = keyed.entity().getIdentifierAccessor(row).getIdentifier();
    boolean drawn = isDrawn(id);
    return before(keyed, drawn ? null : id)
        .flatMap(
            before ->
                write(
                    drawn && keyed.takesId() ? keyed : null,
                    keyed,
                    (key, context) -> {
                      Object old = keyOf(keyed, key, before.orElse(null), context);
                      Object now = drawn && key.takesId() ? null : keyOf(keyed, key, row, context);
                      return writes -> writes.update(key.filter(), old, now);
                    }))
        .thenReturn(row);
  }

  @Override
  public Publisher<Object> onAfterSave(Object row, OutboundRow columns, SqlIdentifier table) {
    Keyed keyed = aggregates.of(row.getClass());
    return keyed == null
        ? Mono.just(row)
        : write(
                null,
                keyed,
                (key, context) -> {
                  Object now = keyOf(keyed, key, row, context);
                  return writes -> writes.addUnlessKnown(key.filter(), now);
                })
            .thenReturn(row);
  }

  /**
   * {@return a save in a transaction: that of the subscriber, otherwise one of the application's
   * only manager} A repository's saves have none of their own, and the database may draw the id.
   *
   * @param type the class of the rows
   * @param saved the publisher of the rows
   */
  Object transactional(Class<?> type, Object saved) {
    return aggregates.of(type) == null ? saved : boundary.get().apply(saved);
  }

  private UnaryOperator<Object> boundary() {
    try {
      return transactions.publisherBoundary("");
    } catch (IllegalArgumentException e) {
      return UnaryOperator.identity(); // a save that needs one is refused
    }
  }

  /** Whether an insert leaves the id to the database, as Spring Data decides it. */
  private static boolean isDrawn(@Nullable Object id) {
    return id == null || (id instanceof Number number && number.longValue() == 0);
  }

  /** The stored state of a row, if its keys may be others there. */
  private Mono<Optional<Object>> before(Keyed keyed, @Nullable Object id) {
    RelationalPersistentProperty attribute = keyed.entity().getIdProperty();
    if (id == null || attribute == null || !mayChange(keyed)) {
      return Mono.just(Optional.empty());
    }
    Query query = Query.query(Criteria.where(attribute.getName()).is(id));
    return stored
        .get()
        .selectOne(query, keyed.entity().getType())
        .<Optional<Object>>map(Optional::of)
        .defaultIfEmpty(Optional.empty());
  }

  private static boolean mayChange(Keyed keyed) {
    return !keyed.keys().stream().allMatch(AggregateKey::isOfId);
  }

  /** The key of a row, with the scope of the subscriber; null if it has none yet. */
  private @Nullable Object keyOf(
      Keyed keyed, AggregateKey key, @Nullable Object row, Object context) {
    Object own = row == null ? null : aggregates.keyOf(keyed, key, row);
    KeyScope scope = own == null ? null : guards.get().scope(key.filter());
    return own == null || scope == null ? own : scope.written(List.of(own), context).get(0);
  }

  /**
   * Writes keys in the transaction of the subscriber. The guards may wait for Redis, so they do on
   * a thread of Reactor's for work that waits.
   *
   * @param drawn the row whose id the database will generate, null for none
   * @param gathering reads a key, under the subscriber's context, and tells how it is gathered
   */
  private Mono<Void> write(
      @Nullable Keyed drawn,
      Keyed keyed,
      BiFunction<AggregateKey, Object, Consumer<GatheredWrites>> gathering) {
    return Mono.deferContextual(
        context -> {
          List<Consumer<GatheredWrites>> read =
              keyed.keys().stream().map(key -> gathering.apply(key, context)).toList();
          Consumer<GatheredWrites> keys = writes -> read.forEach(key -> key.accept(writes));
          Object owner;
          try (Scope carried = transactions.enter(context)) {
            owner = transactions.owner();
          }
          return Mono.<Void>fromRunnable(() -> write(drawn, owner, keys))
              .subscribeOn(Schedulers.boundedElastic());
        });
  }

  /**
   * Begins the write of keys. Without a transaction each statement is a separate write, and its
   * effect on the caches happens before and after it.
   *
   * @param owner the transaction, or a thread if there is none
   */
  private void write(@Nullable Keyed drawn, Object owner, Consumer<GatheredWrites> keys) {
    boolean alone = owner instanceof Thread;
    try (Scope carried = transactions.enter(owner)) {
      if (!alone && unit(owner).write(keys)) {
        return;
      }
      if (drawn != null && (alone || transactions.isCompleting())) {
        throw KeyedAggregates.drawnAlone(drawn);
      }
      GatheredWrites writes =
          new GatheredWrites(guards, adds -> adds.settle(transactions), maxKeys);
      keys.accept(writes);
      try {
        writes.begin();
      } finally {
        writes.end(alone ? End.ROLLED_BACK : End.UNKNOWN);
      }
    }
  }

  private Unit unit(Object owner) {
    Unit unit = new Unit(owner);
    Unit known = open.putIfAbsent(owner, unit);
    if (known != null) {
      return known;
    }
    if (!transactions.register(unit::commit, unit::end)) {
      unit.end(End.UNKNOWN);
    }
    return unit;
  }

  /** The writes of one transaction, whose statements may be made on several threads. */
  private final class Unit {

    private final ReentrantLock lock = new ReentrantLock();
    private final Object owner;

    /** The copies are waited for once, before the commit. */
    private final GatheredWrites writes = new GatheredWrites(guards, adds -> {}, maxKeys);

    private boolean ended;

    Unit(Object owner) {
      this.owner = owner;
    }

    /** False if the end has come, or is not seen. */
    boolean write(Consumer<GatheredWrites> keys) {
      lock.lock();
      try {
        if (!ended) {
          keys.accept(writes);
          writes.begin();
        }
        return !ended;
      } finally {
        lock.unlock();
      }
    }

    void commit() {
      lock.lock();
      try {
        writes.renew();
        writes.begin(); // those of a failure that the application has passed over
        writes.await();
      } finally {
        lock.unlock();
      }
    }

    void end(End end) {
      lock.lock();
      try {
        ended = true;
        open.remove(owner);
        writes.end(end);
      } finally {
        lock.unlock();
      }
    }
  }
}
