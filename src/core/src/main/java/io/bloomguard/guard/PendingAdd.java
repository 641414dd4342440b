package io.bloomguard.guard;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * An add that the filter holds, while copies of other processes may not have it yet.
 *
 * <p>Until every {@link Wait} is over, another process may still call its keys absent, so nothing
 * may depend on them there: a row becomes visible, or a caller gets its answer, only afterwards.
 *
 * @param isNew for each key, in their order, whether it was new
 * @param waits for the copies that may lack the keys
 */
public record PendingAdd(boolean[] isNew, List<? extends Wait> waits) {

  /**
   * {@return an add that nothing has to wait for}
   *
   * @param isNew for each key, in their order, whether it was new
   */
  public static PendingAdd done(boolean[] isNew) {
    return new PendingAdd(isNew, List.of());
  }

  /**
   * Returns once no copy calls the keys absent any more. An interrupt of the thread is kept, but
   * does not end the wait.
   */
  public void await() {
    CompletableFuture.allOf(
            waits.stream()
                .map(wait -> wait.told().toCompletableFuture())
                .toArray(CompletableFuture[]::new))
        .join();
  }

  /** The wait for the copies of one part of a filter. */
  public interface Wait {

    /**
     * Begins the wait, or joins it.
     *
     * @return ends once no copy calls the keys absent any more: every one has them, or its lease
     *     has run out. Ends after a bounded time whatever happens to the backend, on any thread,
     *     and does not fail because of it
     */
    CompletionStage<?> told();

    /**
     * {@return whether nothing of an earlier wait is left once this one is over}
     *
     * @param earlier the wait of an add that was made before
     */
    boolean includes(Wait earlier);
  }
}
