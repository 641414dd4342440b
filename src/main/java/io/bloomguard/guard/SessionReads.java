package io.bloomguard.guard;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Transactions whose reads may come from sessions that are older than they are. */
final class SessionReads implements Transactions {

  private final Transactions transactions;
  private final ReadSessions[] sessions;

  SessionReads(Transactions transactions, ReadSessions[] sessions) {
    this.transactions = transactions;
    this.sessions = sessions;
  }

  @Override
  public @Nullable Duration readAge() {
    Duration age = transactions.readAge();
    for (ReadSessions kind : sessions) {
      age = greater(age, kind.age());
    }
    return age;
  }

  @Override
  public @Nullable Duration usedAge(long moment) {
    Duration used = null;
    for (ReadSessions kind : sessions) {
      used = greater(used, kind.used(moment));
    }
    // Asked last: a session that is bound as well is then older than it was above.
    return used == null || greater(readAge(), used) != used ? null : used;
  }

  private static @Nullable Duration greater(@Nullable Duration one, @Nullable Duration other) {
    return one == null || other != null && other.compareTo(one) > 0 ? other : one;
  }

  @Override
  public boolean register(Runnable beforeCommit, Completion afterCompletion) {
    return transactions.register(beforeCommit, afterCompletion);
  }

  @Override
  public @Nullable Duration age() {
    return transactions.age();
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
