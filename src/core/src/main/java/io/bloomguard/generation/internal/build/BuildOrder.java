package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.RebuildTrigger;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A requested build, from the request to its end: it may wait for a thread first. */
final class BuildOrder {

  private static final Logger log = LoggerFactory.getLogger(BuildOrder.class);

  /** An order that no thread takes within this time counts as queued. */
  private static final Duration TAKEN_WITHIN = Duration.ofSeconds(2);

  /** Longer than any of the commands that a build begins with. */
  private static final Duration BEGUN_WITHIN = Duration.ofSeconds(15);

  private final String run = UUID.randomUUID().toString();
  private final RebuildTrigger trigger;
  private final boolean force;
  private final CountDownLatch taken = new CountDownLatch(1);
  private final CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
  private volatile boolean cancelled;

  BuildOrder(RebuildTrigger trigger, boolean force) {
    this.trigger = trigger;
    this.force = force;
  }

  /** The identifier of the build. */
  String run() {
    return run;
  }

  RebuildTrigger trigger() {
    return trigger;
  }

  /** Whether the build is published even if it reads too few keys. */
  boolean force() {
    return force;
  }

  /** Notes that a thread has taken the order. */
  void take() {
    taken.countDown();
  }

  /**
   * Waits until the build has begun, unless it waits for a thread for long.
   *
   * @return false if the build waits for a thread, was cancelled, or takes long to begin
   * @throws RuntimeException the failure that prevents the begin
   */
  boolean awaitBegin() {
    try {
      if (taken.await(TAKEN_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
        begun.get(BEGUN_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | CancellationException e) {
      log.debug("Build {} has not begun yet", run, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException refusal) {
        throw refusal;
      }
      throw new IllegalStateException("The build could not begin", e.getCause());
    }
    return false;
  }

  /**
   * A future that completes when the build has begun, or fails with the reason why it could not.
   */
  CompletableFuture<@Nullable Void> begun() {
    return begun;
  }

  /**
   * Passes null to {@code action} when the build has begun, or the failure that prevents it; now or
   * later.
   */
  void onBegin(Consumer<@Nullable Throwable> action) {
    var unused =
        begun.whenComplete(
            (nothing, failure) -> {
              if (!begun.isCancelled()) {
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
