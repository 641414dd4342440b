package io.bloomguard.guard.internal;

import io.bloomguard.guard.Scope;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The places and trials that a thread works in, the innermost first. Another thread that continues
 * its work enters them, and closes the scope.
 *
 * @param held a place or a trial
 * @param outer those that it was entered in; null for none
 */
public record Entered(Held held, @Nullable Entered outer) implements Supplier<Scope> {

  /** The key under which the context of a publisher carries what work in it enters. */
  public static final Object CARRIED = Entered.class.getName() + ".CARRIED";

  private static final ThreadLocal<@Nullable Entered> INNERMOST = new ThreadLocal<>();

  /** {@return what the calling thread works in; null for nothing} */
  public static @Nullable Entered here() {
    return INNERMOST.get();
  }

  /**
   * {@return the end of the scope of a place or trial, which this thread enters}
   *
   * @param held entered within those that the thread works in
   */
  public static Scope into(Held held) {
    return new Entered(held, here()).get();
  }

  /**
   * {@return a task in the scope of what this thread works in now}
   *
   * @param task run on another thread
   */
  public static Runnable carrying(Runnable task) {
    Entered here = here();
    return here == null
        ? task
        : () -> {
          try (Scope scope = here.get()) {
            task.run();
          }
        };
  }

  /** Enters all of them on this thread, in place of what it works in. */
  @Override
  public Scope get() {
    Entered before = here();
    INNERMOST.set(this);
    return () -> {
      if (before == null) {
        INNERMOST.remove();
      } else {
        INNERMOST.set(before);
      }
    };
  }
}
