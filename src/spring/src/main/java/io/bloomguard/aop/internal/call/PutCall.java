package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.PendingAdds;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@code @BloomPut} method. Its writes have one or two holders: the method, until it
 * has completed, or the future or publisher that it returned; and the transaction that it was
 * called in, if there is one. The last to let go ends them.
 */
final class PutCall extends WriteCall {

  private final List<KeyWrites.Write> writes = new ArrayList<>(1);
  private final PendingAdds adds = new PendingAdds();

  /** The writes whose keys come later. */
  private final List<KeyWrites.Write> unnamed = new ArrayList<>(0);

  private final AtomicInteger holders = new AtomicInteger(1);
  private final boolean transactional;
  private volatile boolean unseen;

  /** Whether keys come with the results. */
  private final boolean drawn;

  /**
   * Begins the writes of the keys that are known before the method.
   *
   * @param refusal of a call without a transaction; null if that may be
   */
  PutCall(Run run, @Nullable String refusal) {
    super(run);
    this.drawn = run.keys().stream().anyMatch(WrittenKey::after);
    holders.incrementAndGet();
    this.transactional = run.transactions().register(this::renew, this::letGo);
    if (!transactional) {
      holders.decrementAndGet();
      if (refusal != null) {
        throw new IllegalStateException(refusal);
      }
    }
    Supplier<CompletableFuture<?>> adding = adding(false, null);
    begin();
    var unused = step(adding);
  }

  @Override
  public boolean takesElements() {
    return drawn;
  }

  @Override
  public CompletableFuture<?> passed(@Nullable Object result) {
    return drawn ? step(adding(true, result)) : DONE;
  }

  /**
   * The add of the keys, which may wait, and then for the copies in other processes, unless the
   * transaction of the calling thread waits for those. The keys are read here, on that thread.
   *
   * @param after whether the keys that come with a result are meant
   */
  private Supplier<CompletableFuture<?>> adding(boolean after, @Nullable Object result) {
    List<Runnable> begins = new ArrayList<>(run.keys().size());
    for (WrittenKey key : run.keys()) {
      if (key.after() == after) {
        List<?> read = List.copyOf(key.of(run.invocation().getArguments(), result, run.context()));
        begins.add(() -> begin(key.writes(), read));
      } else if (key.after()) {
        begins.add(() -> unnamed.add(key.writes().beginWrites(List.of(), List.of())));
      }
    }
    if (after && !run.carrier().isMany()) {
      begins.add(this::named);
    }
    return () -> {
      begins.forEach(Runnable::run);
      return adds.settled(run.transactions());
    };
  }

  /** Begins the write of {@code added}, in one step for all keys. */
  private void begin(KeyWrites filter, Collection<?> added) {
    if (!added.isEmpty()) {
      writes.add(filter.beginWrites(added, List.of(), adds::add));
    }
  }

  /** All keys have come: from now on the writer's lookups of others are rejected again. */
  private void named() {
    unnamed.forEach(KeyWrites.Write::close);
    unnamed.clear();
  }

  /** Adds the keys again if the journals may have forgotten their adds by now. */
  private void renew() {
    try {
      writes.forEach(KeyWrites.Write::renew);
    } finally {
      adds.settle(run.transactions());
    }
  }

  /**
   * Releases the method. A transaction ends after its statements: its end decides, unless that of
   * the method was not seen and may have come apart from it.
   */
  @Override
  void ended(End end, boolean made) {
    boolean decides = made && !(transactional && !(apart && end == End.UNKNOWN));
    letGo(decides ? end : End.ROLLED_BACK);
  }

  /** Releases one holder; the last one ends the writes, even if one of them throws. */
  private void letGo(End end) {
    unseen |= end == End.UNKNOWN;
    if (holders.decrementAndGet() > 0) {
      return;
    }
    named();
    end(writes.iterator(), unseen ? End.UNKNOWN : end);
  }

  private static void end(Iterator<KeyWrites.Write> writes, End end) {
    if (writes.hasNext()) {
      try {
        writes.next().end(end);
      } finally {
        end(writes, end);
      }
    }
  }
}
