package io.bloomguard.redis.partition;

/** What this process has added to a partition, and after which loss it has added that again. */
final class WriterState {

  private final RetainedAdds adds;

  /** The losses after which everything was added again; 0 before this process knew any. */
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
    // The adds come first: what is too old goes with every reading of the head, at rest too.
    return !adds.isEmpty() && losses != settledFor;
  }
}
