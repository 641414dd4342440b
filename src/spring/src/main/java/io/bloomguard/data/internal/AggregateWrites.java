package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.KeyedTypes.Keyed;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.data.internal.row.RowWrites;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationListener;
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
public final class AggregateWrites extends SavedRows
    implements BeforeSaveCallback<Object>,
        AfterSaveCallback<Object>,
        ApplicationListener<RelationalDeleteEvent<?>>,
        PendingWrites {

  private final Supplier<DataAccessStrategy> stored;

  /**
   * The writes of an application's aggregates.
   *
   * @param guards the guards that they are told to
   * @param context the mapping of the aggregates to tables
   * @param stored the operations that read the stored state of rows
   * @param converter converts the values of attributes to those of columns
   */
  public AggregateWrites(
      RowGuards guards,
      RelationalMappingContext context,
      Supplier<DataAccessStrategy> stored,
      Supplier<JdbcConverter> converter) {
    super(
        guards,
        context,
        (attribute, value) -> {
          JdbcConverter to = converter.get();
          return to.writeJdbcValue(
                  value, to.getColumnType(attribute), to.getTargetSqlType(attribute))
              .getValue();
        });
    this.stored = stored;
  }

  /** False, because the transaction belongs to the calling thread. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }

  @Override
  public Object onBeforeSave(Object aggregate, MutableAggregateChange<Object> change) {
    Keyed<Object> keyed = of(aggregate.getClass());
    if (keyed != null) {
      Save save = Save.of(change);
      boolean drawn = save == Save.INSERT_WITH_DRAWN_ID;
      Object before = save == Save.INSERT ? null : before(keyed, aggregate, save);
      write(
          keyed,
          drawn,
          (key, writes) -> key.changes(writes, before, drawn && key.takesId() ? null : aggregate));
    }
    return aggregate;
  }

  @Override
  public Object onAfterSave(Object aggregate) {
    Keyed<Object> keyed = of(aggregate.getClass());
    if (keyed != null) {
      write(keyed, /* drawn= */ false, (key, writes) -> key.drawn(writes, aggregate));
    }
    return aggregate;
  }

  @Override
  public void onApplicationEvent(RelationalDeleteEvent<?> event) {
    Keyed<Object> keyed = of(event.getType());
    if (keyed == null
        || !(event instanceof BeforeDeleteEvent || event instanceof AfterDeleteEvent)) {
      return;
    }
    Object id = event.getId().getValue();
    boolean byId = keyed.keys().stream().allMatch(RowKey::isWholeId);
    Object row =
        event instanceof BeforeDeleteEvent && !byId
            ? stored.get().findById(id, event.getType())
            : event.getEntity();
    write(
        keyed,
        /* drawn= */ false,
        (key, writes) -> {
          if (key.isWholeId() && (row == null || key.scope() == null)) {
            writes.change(key.filter(), key.ofId(id));
          } else {
            key.changes(writes, row, null);
          }
        });
  }

  /** The row before a save; null if there is none, or if that does not matter. */
  private @Nullable Object before(Keyed<Object> keyed, Object aggregate, Save save) {
    if (!keyed.mayChange()) {
      return save == Save.UPDATE ? aggregate : null;
    }
    Object id = idOf(aggregate);
    return id == null ? null : stored.get().findById(id, aggregate.getClass());
  }

  /**
   * Gathers keys for the transaction of this thread. Without a transaction each statement is a
   * separate write.
   *
   * @param drawn whether the database will generate the id
   */
  private void write(
      Keyed<Object> keyed, boolean drawn, BiConsumer<RowKey<Object>, GatheredWrites> effect) {
    Consumer<GatheredWrites> keys =
        writes -> keyed.keys().forEach(key -> effect.accept(key, writes));
    if (RowWrites.write(guards, keys)) {
      return;
    }
    if (drawn && keyed.takesId()) {
      throw drawnAlone(keyed);
    }
    RowWrites.alone(guards.gather(), keys, RowWrites.endOfStatement(guards));
  }

  /**
   * Begins the gathered writes: the database has every row at once, and only the filters wait for
   * the commit, or for this call.
   */
  @Override
  public boolean remain(String filter) {
    RowWrites.beginOfThread();
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
