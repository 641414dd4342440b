package io.bloomguard.guard;

import java.time.Duration;
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
      Duration another = kind.age();
      if (age == null || another != null && another.compareTo(age) > 0) {
        age = another;
      }
    }
    return age;
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
  public Boundary boundary(String manager) {
    return transactions.boundary(manager);
  }
}
