package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A trial that a thread of the guard ends, because the verdict on a value asks filter and cache
 * again, and the caller's thread must not wait for them.
 */
final class TrialEndedElsewhere implements Trial {

  private final Trial trial;
  private final LoadThreads threads;
  private final AtomicBoolean ended = new AtomicBoolean();

  TrialEndedElsewhere(Trial trial, LoadThreads threads) {
    this.trial = trial;
    this.threads = threads;
  }

  @Override
  public void end(Finding found, boolean waits) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    if (found == Finding.OTHER) {
      trial.close();
    } else {
      threads.execute(() -> trial.end(found, false), refusal -> trial.close());
    }
  }

  @Override
  public Scope enter() {
    return trial.enter();
  }
}
