package io.bloomguard.data.internal;

import io.bloomguard.data.internal.MappedAggregate.Columns;
import io.bloomguard.data.internal.row.KeyedTypes.Keyed;
import io.bloomguard.guard.EntityKeyException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;

/** The rows that Spring Data saves by the objects of its mapping context. */
abstract class SavedRows implements SmartInitializingSingleton, Ordered {

  final Supplier<? extends EntryGuards> guards;
  final Transactions transactions;
  final KeyedAggregates aggregates;
  private final int maxKeys;

  SavedRows(
      Supplier<? extends EntryGuards> guards,
      Transactions transactions,
      RelationalMappingContext context,
      Columns columns,
      int maxKeys,
      Function<String, @Nullable String> scopes) {
    this.guards = guards;
    this.transactions = transactions;
    this.aggregates = new KeyedAggregates(context, scopes, columns);
    this.maxKeys = maxKeys;
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
  }

  /**
   * {@return whether the annotations that {@code type} declares are those of a row}
   *
   * @param type a class of any kind
   */
  public boolean maps(Class<?> type) {
    return aggregates.maps(type);
  }

  GatheredWrites gather(Consumer<PendingAdds> settle) {
    return new GatheredWrites(guards, settle, maxKeys);
  }

  /** The writes of a statement, or of the transaction of the calling thread. */
  GatheredWrites gather() {
    return gather(adds -> adds.settle(transactions));
  }

  /** The refusal of a save that tells its key, which the database draws, too late. */
  static IllegalStateException drawnAlone(Keyed<Object> keyed) {
    return new IllegalStateException(
        "The database draws the id of "
            + keyed.type().name()
            + ", so its key is known only once the row is written, and without a transaction it is"
            + " visible by then. Save it within a transaction");
  }
}
