package io.bloomguard.data.internal;

import io.bloomguard.data.internal.KeyedAggregates.Keyed;
import io.bloomguard.guard.EntityKeyException;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.data.jdbc.core.convert.DataAccessStrategy;
import org.springframework.data.jdbc.core.convert.JdbcConverter;
import org.springframework.data.relational.core.conversion.DbAction;
import org.springframework.data.relational.core.conversion.IdValueSource;
import org.springframework.data.relational.core.conversion.MutableAggregateChange;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.event.AfterDeleteEvent;
import org.springframework.data.relational.core.mapping.event.AfterSaveCallback;
import org.springframework.data.relational.core.mapping.event.BeforeDeleteEvent;
import org.springframework.data.relational.core.mapping.event.BeforeSaveCallback;
import org.springframework.data.relational.core.mapping.event.RelationalDeleteEvent;

/**
 * The listener to saves and deletions of Spring Data JDBC.
 *
 * <p>Spring Data reports a save before the statements and after them, when the id that the database
 * has generated is known. The earlier keys of a row are read from the database, and only if they
 * may change.
 */
public final class AggregateWrites
    implements BeforeSaveCallback<Object>,
        AfterSaveCallback<Object>,
        ApplicationListener<RelationalDeleteEvent<?>>,
        PendingWrites,
        SmartInitializingSingleton,
        Ordered {

  private final Supplier<? extends EntryGuards> guards;
  private final Transactions transactions;
  private final KeyedAggregates aggregates;
  private final Supplier<DataAccessStrategy> stored;
  private final Supplier<GatheredWrites> first;

  /**
   * The writes of an application's aggregates.
   *
   * @param guards the guards, called at the first write, or once all beans exist
   * @param transactions those that the saves belong to
   * @param context the mapping of the aggregates to tables
   * @param stored the operations that read the stored state of rows
   * @param converter converts the values of attributes to those of columns
   * @param maxKeys the most keys of one transaction
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  public AggregateWrites(
      Supplier<? extends EntryGuards> guards,
      Transactions transactions,
      RelationalMappingContext context,
      Supplier<DataAccessStrategy> stored,
      Supplier<JdbcConverter> converter,
      int maxKeys,
      Function<String, @Nullable String> scopes) {
    this.guards = guards;
    this.transactions = transactions;
    this.aggregates =
        new KeyedAggregates(
            context,
            scopes,
            (attribute, value) -> {
              JdbcConverter to = converter.get();
              return to.writeJdbcValue(
                      value, to.getColumnType(attribute), to.getTargetSqlType(attribute))
                  .getValue();
            });
    this.stored = stored;
    this.first = () -> new GatheredWrites(guards, adds -> adds.settle(transactions), maxKeys);
  }

  /** The order after the callbacks of the application, which may change the aggregate. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  /** False, because the transaction belongs to the calling thread. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }

  /**
   * Compiles the keys of all aggregates.
   *
   * @throws EntityKeyException for the first that cannot be applied
   */
  @Override
  public void afterSingletonsInstantiated() {
    aggregates.verify(guards.get());
  }

  /**
   * {@return whether the annotations that {@code type} declares are those of an aggregate's root}
   *
   * @param type a class of any kind
   */
  public boolean maps(Class<?> type) {
    return aggregates.maps(type);
  }

  @Override
  public Object onBeforeSave(Object aggregate, MutableAggregateChange<Object> change) {
    Keyed keyed = aggregates.of(aggregate.getClass());
    if (keyed != null) {
      Save save = Save.of(change);
      Object before = save == Save.INSERT ? null : storedOf(keyed, aggregate);
      write(
          save == Save.INSERT_WITH_DRAWN_ID ? keyed : null,
          writes -> {
            for (AggregateKey key : keyed.keys()) {
              Object now = aggregates.keyOf(keyed, key, aggregate);
              Object old = before == null ? null : aggregates.keyOf(keyed, key, before);
              if (save == Save.UPDATE && key.isId()) {
                writes.change(key.filter(), now);
              } else if (save != Save.INSERT_WITH_DRAWN_ID || !key.isId()) {
                writes.update(key.filter(), old, now);
              }
            }
          });
    }
    return aggregate;
  }

  @Override
  public Object onAfterSave(Object aggregate) {
    Keyed keyed = aggregates.of(aggregate.getClass());
    if (keyed != null) {
      write(
          null,
          writes ->
              keyed
                  .keys()
                  .forEach(
                      key ->
                          writes.addUnlessKnown(
                              key.filter(), aggregates.keyOf(keyed, key, aggregate))));
    }
    return aggregate;
  }

  @Override
  public void onApplicationEvent(RelationalDeleteEvent<?> event) {
    Keyed keyed = aggregates.of(event.getType());
    if (keyed == null
        || !(event instanceof BeforeDeleteEvent || event instanceof AfterDeleteEvent)) {
      return;
    }
    Object id = event.getId().getValue();
    Object row =
        event instanceof BeforeDeleteEvent && keyed.mayChange()
            ? stored.get().findById(id, keyed.entity().getType())
            : event.getEntity();
    write(
        null,
        writes -> {
          for (AggregateKey key : keyed.keys()) {
            writes.change(
                key.filter(),
                key.isId() && (row == null || key.scope() == null)
                    ? aggregates.keyOfId(key, id)
                    : row == null ? null : aggregates.keyOf(keyed, key, row));
          }
        });
  }

  private @Nullable Object storedOf(Keyed keyed, Object aggregate) {
    Object id = keyed.entity().getIdentifierAccessor(aggregate).getIdentifier();
    return id == null || !keyed.mayChange()
        ? null
        : stored.get().findById(id, keyed.entity().getType());
  }

  /**
   * Gathers keys for the transaction of this thread. Without a transaction each statement is a
   * separate write, and its effect on the caches happens before and after it.
   *
   * @param drawn the aggregate whose id the database will generate, null for none
   */
  private void write(@Nullable Keyed drawn, Consumer<GatheredWrites> keys) {
    if (TransactionWrites.gather(transactions, first, keys)) {
      return;
    }
    if (drawn != null && drawn.takesId()) {
      throw KeyedAggregates.drawnAlone(drawn);
    }
    GatheredWrites writes = first.get();
    keys.accept(writes);
    try {
      writes.begin();
    } finally {
      writes.end(TransactionWrites.ofStatement(transactions));
    }
  }

  /**
   * Begins the gathered writes: the database has every row at once, and only the filters wait for
   * the commit, or for this call.
   */
  @Override
  public boolean remain(String filter) {
    TransactionWrites.begin();
    return false;
  }

  /** The effect of a save on the root's row. */
  private enum Save {
    INSERT,
    INSERT_WITH_DRAWN_ID,
    UPDATE,
    UPSERT;

    static Save of(MutableAggregateChange<?> change) {
      Save[] found = {UPSERT};
      change.forEachAction(
          action -> {
            if (action instanceof DbAction.InsertRoot<?> insert) {
              boolean drawn = SpringDataJdbc.idSource(insert) == IdValueSource.GENERATED;
              found[0] = drawn ? INSERT_WITH_DRAWN_ID : INSERT;
            } else if (action instanceof DbAction.UpdateRoot<?>) {
              found[0] = UPDATE;
            }
          });
      return found[0];
    }
  }
}
