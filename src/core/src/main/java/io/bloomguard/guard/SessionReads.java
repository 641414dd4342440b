package io.bloomguard.guard;

import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Transactions whose reads may come from sessions that are older than they are. */
record SessionReads(Transactions transactions, ReadSessions[] sessions) implements Transactions {

  @Override
  public @Nullable Long readsSince() {
    Long since = transactions.readsSince();
    for (ReadSessions kind : sessions) {
      since = earlier(since, kind.openedAt());
    }
    return since;
  }

  @Override
  public LongFunction<@Nullable Long> used() {
    LongFunction<@Nullable Long> used = sessions[0].used();
    for (int i = 1; i < sessions.length; i++) {
      LongFunction<@Nullable Long> some = used;
      LongFunction<@Nullable Long> others = sessions[i].used();
      used = moment -> earlier(some.apply(moment), others.apply(moment));
    }
    return used;
  }

  private static @Nullable Long earlier(@Nullable Long one, @Nullable Long other) {
    return one == null || other != null && other - one < 0 ? other : one;
  }

  @Override
  public boolean register(Runnable beforeCommit, Completion afterCompletion) {
    return transactions.register(
        beforeCommit,
        end ->
            afterCompletion.completed(
                end == End.ROLLED_BACK && isCommitLost() ? End.UNKNOWN : end));
  }

  @Override
  public boolean awaitBeforeCommit(PendingAdd.Wait wait) {
    return transactions.awaitBeforeCommit(wait);
  }

  private boolean isCommitLost() {
    return Stream.of(sessions).anyMatch(ReadSessions::isCommitLost);
  }

  @Override
  public boolean isActive() {
    return transactions.isActive();
  }

  @Override
  public boolean isCompleting() {
    return transactions.isCompleting();
  }

  @Override
  public Object owner() {
    return transactions.owner();
  }

  @Override
  public Scope enter(Object carrier) {
    return transactions.enter(carrier);
  }

  @Override
  public Boundary boundary(String manager) {
    return transactions.boundary(manager);
  }

  @Override
  public UnaryOperator<Object> publisherBoundary(String manager) {
    return transactions.publisherBoundary(manager);
  }
}
