package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.Transactions;

/**
 * What the loads of all caches of an application share.
 *
 * @param bulkhead the places, which protect one database
 * @param threads those of asynchronous calls
 * @param settings the bounds on loads
 * @param transactions the application's transactions
 */
public record SharedBounds(
    Bulkhead bulkhead, LoadThreads threads, LoadSettings settings, Transactions transactions) {

  /** Bounds of which nothing is taken yet. */
  public SharedBounds(LoadThreads threads, LoadSettings settings, Transactions transactions) {
    this(
        new Bulkhead(settings.maxConcurrent(), settings.maxWaiting(), threads),
        threads,
        settings,
        transactions);
  }
}
