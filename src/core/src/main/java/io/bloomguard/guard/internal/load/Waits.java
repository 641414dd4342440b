package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The threads on which a call continues after a wait: its caller's own, or ours. */
public interface Waits extends Executor {

  /**
   * Continues a call.
   *
   * @param refused gets the reason on this thread, if a thread has to be started and cannot
   */
  default void execute(Runnable task, Consumer<? super RequestShedException> refused) {
    execute(task);
  }

  /** Continues a call in {@code nanos}, unless that is cancelled before. */
  default Timeout after(long nanos, Runnable task) {
    return after(nanos, task, refusal -> task.run());
  }

  /**
   * Continues a call in {@code nanos}; if no thread can be started then, {@code refused} is told.
   */
  Timeout after(long nanos, Runnable task, Consumer<? super RequestShedException> refused);

  /** The steps of a cache for a call that continues here. */
  AsyncValueCache steps(ValueCache cache);

  /** The thread that waits for the call; null for none. */
  @Nullable Thread caller();

  /** Notes how the present wait ends if the waiting thread is interrupted. */
  default void onInterrupt(Runnable end) {}
}
