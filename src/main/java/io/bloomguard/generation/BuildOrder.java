package io.bloomguard.generation;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A build that was asked for, from then to its end: it may wait for a thread first. */
final class BuildOrder {

  private final String run = UUID.randomUUID().toString();
  private final RebuildTrigger trigger;
  private final KeySource keys;
  private final boolean force;
  private final CountDownLatch taken = new CountDownLatch(1);
  private final CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
  private volatile boolean cancelled;

  BuildOrder(RebuildTrigger trigger, KeySource keys, boolean force) {
    this.trigger = trigger;
    this.keys = keys;
    this.force = force;
  }

  /** The identifier of the build. */
  String run() {
    return run;
  }

  RebuildTrigger trigger() {
    return trigger;
  }

  KeySource keys() {
    return keys;
  }

  /** Whether it is published however few keys it reads. */
  boolean force() {
    return force;
  }

  /** A thread has it. */
  void take() {
    taken.countDown();
  }

  /** Whether a thread takes it within some time. */
  boolean isTaken(Duration within) throws InterruptedException {
    return taken.await(within.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Complete when it has begun; failed with what kept it from that. */
  CompletableFuture<@Nullable Void> begun() {
    return begun;
  }

  /** Has what keeps it from beginning told, now or later. */
  void onFailure(Consumer<Throwable> action) {
    var unused =
        begun.whenComplete(
            (nothing, failure) -> {
              if (failure != null && !begun.isCancelled()) {
                action.accept(failure);
              }
            });
  }

  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }
}
