package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.KeyedTypes.Keyed;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.data.internal.row.RowWrites;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.Completion;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
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
public final class R2dbcWrites extends SavedRows
    implements BeforeSaveCallback<Object>, AfterSaveCallback<Object> {

  private final Supplier<R2dbcEntityOperations> stored;
  private final Supplier<UnaryOperator<Object>> boundary = SingletonSupplier.of(this::boundary);
  private final Map<Object, RowWrites> open = new ConcurrentHashMap<>();

  /**
   * The writes of an application's rows.
   *
   * @param guards the guards that they are told to
   * @param context the mapping of classes to tables
   * @param stored the operations that read the stored state of rows
   */
  public R2dbcWrites(
      RowGuards guards, RelationalMappingContext context, Supplier<R2dbcEntityOperations> stored) {
    super(
        guards,
        context,
        (attribute, value) ->
            stored.get().getConverter().writeValue(value, attribute.getTypeInformation()));
    this.stored = stored;
  }

  @Override
  public void afterSingletonsInstantiated() {
    super.afterSingletonsInstantiated();
    for (Keyed<Object> keyed : rows.all()) {
      if (keyed.mayChange()
          && keyed.type() instanceof MappedAggregate root
          && root.hasIdOfParts()) {
        throw keyed
            .type()
            .refusal(
                "has a key beside its id, which has parts, so the key before a change is not read",
                "Use @BloomPut and @BloomEvict on the methods that write it");
      }
    }
  }

  @Override
  public Publisher<Object> onBeforeSave(Object row, OutboundRow columns, SqlIdentifier table) {
    Keyed<Object> keyed = of(row.getClass());
    if (keyed == null) {
      return Mono.just(row);
    }
    Object id = idOf(row);
    boolean drawn = isDrawn(id);
    return before(keyed, row.getClass(), drawn ? null : id)
        .flatMap(
            before ->
                write(
                    drawn && keyed.takesId(),
                    keyed,
                    (key, context) -> {
                      Object old = keyOf(key, before.orElse(null), context);
                      Object now = drawn && key.takesId() ? null : keyOf(key, row, context);
                      return writes -> writes.update(key.filter(), old, now);
                    }))
        .thenReturn(row);
  }

  @Override
  public Publisher<Object> onAfterSave(Object row, OutboundRow columns, SqlIdentifier table) {
    Keyed<Object> keyed = of(row.getClass());
    return keyed == null
        ? Mono.just(row)
        : write(
                /* drawn= */ false,
                keyed,
                (key, context) -> {
                  Object now = keyOf(key, row, context);
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
    return of(type) == null ? saved : boundary.get().apply(saved);
  }

  private UnaryOperator<Object> boundary() {
    try {
      return transactions().publisherBoundary("");
    } catch (IllegalArgumentException e) {
      return UnaryOperator.identity(); // a save that needs one is refused
    }
  }

  private Transactions transactions() {
    return guards.transactions().get();
  }

  /** Whether an insert leaves the id to the database, as Spring Data decides it. */
  private static boolean isDrawn(@Nullable Object id) {
    return id == null || (id instanceof Number number && number.longValue() == 0);
  }

  /** The stored state of a row, if its keys may be others there. */
  private Mono<Optional<Object>> before(Keyed<Object> keyed, Class<?> type, @Nullable Object id) {
    RelationalPersistentProperty attribute = entity(type).getIdProperty();
    if (id == null || attribute == null || !keyed.mayChange()) {
      return Mono.just(Optional.empty());
    }
    Query query = Query.query(Criteria.where(attribute.getName()).is(id));
    return stored
        .get()
        .selectOne(query, type)
        .<Optional<Object>>map(Optional::of)
        .defaultIfEmpty(Optional.empty());
  }

  /** The key of a row, with the scope of the subscriber; null if it has none yet. */
  private @Nullable Object keyOf(RowKey<Object> key, @Nullable Object row, Object context) {
    Object own = key.of(row);
    KeyScope scope = own == null ? null : guards.guards().get().scope(key.filter());
    return own == null || scope == null ? own : scope.written(List.of(own), context).get(0);
  }

  /**
   * Writes keys in the transaction of the subscriber. The guards may wait for Redis, so they do on
   * a thread of Reactor's for work that waits.
   *
   * @param drawn whether the database will generate a part of a key
   * @param gathering reads a key, under the subscriber's context, and tells how it is gathered
   */
  private Mono<Void> write(
      boolean drawn,
      Keyed<Object> keyed,
      BiFunction<RowKey<Object>, Object, Consumer<GatheredWrites>> gathering) {
    return Mono.deferContextual(
        context -> {
          List<Consumer<GatheredWrites>> read =
              keyed.keys().stream().map(key -> gathering.apply(key, context)).toList();
          Consumer<GatheredWrites> keys = writes -> read.forEach(key -> key.accept(writes));
          Object owner;
          try (Scope carried = transactions().enter(context)) {
            owner = transactions().owner();
          }
          return Mono.<Void>fromRunnable(() -> write(drawn ? keyed : null, owner, keys))
              .subscribeOn(Schedulers.boundedElastic());
        });
  }

  /**
   * Begins the write of keys. Without a transaction each statement is a separate write, and its
   * effect on the caches happens before and after it.
   *
   * @param owner the transaction, or a thread if there is none
   */
  private void write(@Nullable Keyed<Object> drawn, Object owner, Consumer<GatheredWrites> keys) {
    boolean alone = owner instanceof Thread;
    try (Scope carried = transactions().enter(owner)) {
      if (!alone && unit(owner).write(keys)) {
        return;
      }
      if (drawn != null && (alone || transactions().isCompleting())) {
        throw drawnAlone(drawn);
      }
      RowWrites.alone(guards.gather(), keys, alone ? End.ROLLED_BACK : End.UNKNOWN);
    }
  }

  /** The copies are waited for once, before the commit. */
  private RowWrites unit(Object owner) {
    RowWrites unit = new RowWrites(guards.gather(adds -> {}), /* eager= */ true);
    RowWrites known = open.putIfAbsent(owner, unit);
    if (known != null) {
      return known;
    }
    Completion end =
        how -> {
          open.remove(owner);
          unit.end(how);
        };
    if (!transactions().register(unit::commit, end)) {
      end.completed(End.UNKNOWN);
    }
    return unit;
  }
}
