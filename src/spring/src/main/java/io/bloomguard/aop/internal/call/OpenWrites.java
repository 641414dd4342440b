package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.PendingAdds;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The writes of one call of a {@code @BloomPut} method. They have one or two holders: the method,
 * and the transaction if there is one. The last to let go ends them.
 */
final class OpenWrites {

  private final Transactions transactions;
  private final List<KeyWrites.Write> writes = new ArrayList<>(1);
  private final PendingAdds adds = new PendingAdds();

  /** The writes whose keys come later. */
  private final List<KeyWrites.Write> unnamed = new ArrayList<>(0);

  private final AtomicInteger holders = new AtomicInteger(1);
  private volatile boolean transactional;
  private volatile boolean unseen;

  OpenWrites(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Adds the transaction of the call as a holder; false if there is none. */
  boolean join() {
    holders.incrementAndGet();
    transactional = transactions.register(this::renew, this::letGo);
    if (!transactional) {
      holders.decrementAndGet();
    }
    return transactional;
  }

  /**
   * Releases the method. A transaction ends after its statements: its end decides.
   *
   * @param apart whether the method may have ended apart from the transaction
   */
  void methodEnded(End end, boolean apart) {
    letGo(transactional && !(apart && end == End.UNKNOWN) ? End.ROLLED_BACK : end);
  }

  /** Releases one holder; the last one ends the writes. */
  private void letGo(End end) {
    unseen |= end == End.UNKNOWN;
    if (holders.decrementAndGet() == 0) {
      end(unseen ? End.UNKNOWN : end);
    }
  }

  /** Begins the write of {@code keys}, in one step for all keys. */
  void begin(KeyWrites filter, Collection<?> keys) {
    if (!keys.isEmpty()) {
      writes.add(filter.beginWrites(keys, List.of(), adds::add));
    }
  }

  /**
   * Ends once no copy in another process lacks the keys, or at once if the transaction of the
   * calling thread waits for that.
   */
  CompletableFuture<?> settled() {
    return adds.settled(transactions);
  }

  /** Begins a write whose keys come later. */
  void beginUnnamed(KeyWrites filter) {
    unnamed.add(filter.beginWrites(List.of(), List.of()));
  }

  /** All keys have come: from now on the writer's lookups of others are rejected again. */
  void named() {
    unnamed.forEach(KeyWrites.Write::close);
    unnamed.clear();
  }

  /** Adds the keys again if the journals may have forgotten their adds by now. */
  private void renew() {
    try {
      writes.forEach(KeyWrites.Write::renew);
    } finally {
      adds.settle(transactions);
    }
  }

  /** Ends all writes, even if one of them throws. */
  private void end(End end) {
    named();
    RuntimeException failure = null;
    for (KeyWrites.Write write : writes) {
      try {
        write.end(end);
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    writes.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
