package io.bloomguard.guard.internal.decision;

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
  public void found() {
    end(trial::found);
  }

  @Override
  public void foundAndWait() {
    found();
  }

  @Override
  public void unclear() {
    end(trial::unclear);
  }

  @Override
  public void absent() {
    end(trial::absent);
  }

  @Override
  public void failed() {
    if (ended.compareAndSet(false, true)) {
      trial.failed();
    }
  }

  private void end(Runnable verdict) {
    if (ended.compareAndSet(false, true)) {
      threads.execute(verdict, refusal -> trial.failed());
    }
  }

  @Override
  public void close() {
    failed();
  }

  @Override
  public Scope enter() {
    return trial.enter();
  }
}
