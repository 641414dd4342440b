package io.bloomguard.guard.internal;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import java.util.List;

/**
 * The keys of an {@link Ask} that go on, with all they hold meanwhile: a place in the bulkhead
 * while the filter cannot tell, or the trial of a rejected key, which has its own place.
 *
 * <p>It ends once, on any thread, by {@link #end} or {@link #close}: what it holds is given back,
 * and a trial gets its verdict and its outcome. Later ends do nothing.
 *
 * <pre>{@code
 * try (Pass<Long> pass = guard.ask(Ask.toLoad(id).tried());
 *     Scope scope = pass.enter()) {
 *   if (!pass.isEmpty()) {
 *     row = rows.find(id);
 *     pass.end(findings.of(row));
 *   }
 * }
 * }</pre>
 *
 * @param <K> the type of the keys
 */
public interface Pass<K> extends AutoCloseable {

  /** {@return the keys that go on, in the order asked} */
  List<K> keys();

  /** {@return whether no key goes on} */
  default boolean isEmpty() {
    return keys().isEmpty();
  }

  /** {@return whether the key is a rejected one that goes on as a trial: its end is the verdict} */
  boolean isTrial();

  /** {@return whether it holds a place or a trial, so that the caller must end it} */
  boolean isHeld();

  /**
   * Makes place and trial those of this thread until the answer is closed: guarded calls in that
   * scope take no second place, and let the key pass.
   *
   * @return the end of the scope, which the same thread closes
   */
  Scope enter();

  /**
   * Ends it by what was found for its key.
   *
   * @param found {@code VALUE} and {@code NOTHING} are the verdict of a trial, {@code UNCLEAR}
   *     leaves the verdict to guards that the call has met further in, and {@code OTHER} lets the
   *     key be tried again
   */
  void end(Finding found);

  /** Ends it without a finding, as after a failure. */
  @Override
  default void close() {
    end(Finding.OTHER);
  }
}
