package io.bloomguard.redis.internal.partition;

/** This process' adds to a partition, and the loss epoch after which it has added them again. */
final class WriterState {

  private final RetainedAdds adds;

  /** The loss epoch after which everything was added again; 0 before this process knew any. */
  private volatile long settledFor;

  WriterState(JournalBound journal) {
    this.adds = new RetainedAdds(journal, System::nanoTime);
  }

  RetainedAdds adds() {
    return adds;
  }

  long settledFor() {
    return settledFor;
  }

  void settled(long losses) {
    settledFor = losses;
  }

  /** Whether this process has adds of its own that may be missing after some losses. */
  boolean isBehind(long losses) {
    // The adds come first: every reading of the head, at rest too, drops those past their
    // retention.
    return !adds.isEmpty() && losses != settledFor;
  }
}
