package io.bloomguard.guard;

/**
 * One rejected key that goes to the load nevertheless, so that the load can show whether the
 * rejection was right.
 *
 * <p>It ends once, on any thread, and then records the outcome of its key: {@code loaded}, {@code
 * rejected} or {@code error}. A trial that is closed without a verdict has failed.
 */
public interface Trial extends AutoCloseable {

  /**
   * Ends the trial.
   *
   * @param found {@code VALUE}: the key was wrongly rejected unless the filter has it by now, or
   *     has the row under the row's own key. {@code NOTHING}: it was rightly rejected, unless
   *     another guard rejected it meanwhile, perhaps one that the load met on another thread.
   *     {@code UNCLEAR}: it is judged by the guards that the load met further in. {@code OTHER}: no
   *     verdict, and another trial.
   * @param waits whether this thread may wait for the verdict on a value, outside of a transaction
   *     and for half a second at most: the source may be asked for it
   */
  void end(Finding found, boolean waits);

  /** The load found a value. */
  default void found() {
    end(Finding.VALUE, false);
  }

  /** The load found nothing. */
  default void absent() {
    end(Finding.NOTHING, false);
  }

  /** Ends the trial; without a verdict it has failed. */
  @Override
  default void close() {
    end(Finding.OTHER, false);
  }

  /**
   * Lets the key pass every other guard of the filter that is asked on this thread, until the
   * answer is closed: only the load itself shows whether the key exists. Loads in that scope take
   * no place of their own.
   *
   * @return the end of the scope, which the same thread closes
   */
  Scope enter();
}
