package io.bloomguard.guard;

/**
 * One rejected key that goes to the load nevertheless, so that the load can show whether the
 * rejection was right.
 *
 * <p>It ends once, by {@link #found}, {@link #absent} or {@link #failed}, on any thread, and then
 * records the outcome of its key: {@code loaded}, {@code rejected} or {@code error}. A trial that
 * is closed without a verdict has failed.
 */
public interface Trial extends AutoCloseable {

  /**
   * The load found a value: the key was wrongly rejected unless the filter has it by now, or has
   * the row under the row's own key. A verdict for which the source is asked comes later, on
   * another thread.
   */
  void found();

  /**
   * Notes that the load found the key's row, on a thread that may wait, outside of a transaction:
   * it waits for the verdict, for half a second at most.
   */
  void foundAndWait();

  /**
   * The load found nothing: the key was rightly rejected, unless another guard rejected it
   * meanwhile, perhaps one that the load met on another thread.
   */
  void absent();

  /** The load failed, or its result does not show whether the key exists: no verdict. */
  void failed();

  /** The load found something that shows nothing of the key: no verdict, and no other trial. */
  default void unclear() {
    failed();
  }

  /** Ends the trial; without a verdict it counts as failed. */
  @Override
  void close();

  /**
   * Lets the key pass every other guard of the filter that is asked on this thread, until the
   * answer is closed: only the load itself shows whether the key exists. Loads in that scope take
   * no place of their own.
   *
   * @return the end of the scope, which the same thread closes
   */
  Scope enter();
}
