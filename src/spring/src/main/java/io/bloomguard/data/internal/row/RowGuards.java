package io.bloomguard.data.internal.row;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The guards that the writes of every mapper of an application are told to.
 *
 * @param guards called at the first write, or once all beans exist
 * @param transactions those that the writes belong to
 * @param maxKeys the most keys of one transaction
 * @param scopes the column of the scope of a filter's keys, null for none
 */
public record RowGuards(
    Supplier<? extends EntryGuards> guards,
    Supplier<Transactions> transactions,
    int maxKeys,
    Function<String, @Nullable String> scopes) {

  /** {@return the writes of a statement, or of the transaction of the calling thread} */
  public GatheredWrites gather() {
    return gather(adds -> adds.settle(transactions.get()));
  }

  /**
   * {@return the writes of one unit}
   *
   * @param settle as the writes take it
   */
  public GatheredWrites gather(Consumer<PendingAdds> settle) {
    return new GatheredWrites(guards, settle, maxKeys);
  }
}
