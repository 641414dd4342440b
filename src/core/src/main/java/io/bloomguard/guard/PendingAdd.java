package io.bloomguard.guard;

/**
 * An add that the filter holds, while copies of other processes may not have it yet.
 *
 * <p>Until {@link #await} has returned, another process may still call its keys absent, so nothing
 * may depend on them there: a row becomes visible, or a caller gets its answer, only afterwards.
 */
public interface PendingAdd {

  /** {@return for each key, in their order, whether it was new} */
  boolean[] isNew();

  /**
   * Returns once no copy calls the keys absent any more: every one has them, or its lease has run
   * out. Ends after a bounded time whatever happens to the backend, and does not throw because of
   * it; an interrupt of the thread is kept, but does not end the wait.
   */
  void await();

  /**
   * {@return an add that nothing has to wait for}
   *
   * @param isNew for each key, in their order, whether it was new
   */
  static PendingAdd done(boolean[] isNew) {
    return new PendingAdd() {
      @Override
      public boolean[] isNew() {
        return isNew;
      }

      @Override
      public void await() {}
    };
  }
}
