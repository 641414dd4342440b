package io.bloomguard.guard.internal;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an {@link Ask} that go on, with what they hold meanwhile: a place in the bulkhead
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
 * @param ask the question of these keys
 * @param held null if they go on, or not, without a place or a trial
 * @param isTrial whether a rejected key goes on as a trial, or some do: its end is the verdict
 */
public record Pass<K>(Ask<K> ask, @Nullable Held held, boolean isTrial) implements AutoCloseable {

  private static final Pass<?> NONE = new Pass<>(Ask.toLoadAll(List.of()), null, false);

  /**
   * {@return that of no key, which is one for all: most keys of an attack get it}
   *
   * @param <K> the type of the keys
   */
  @SuppressWarnings("unchecked") // without a key
  public static <K> Pass<K> none() {
    return (Pass<K>) NONE;
  }

  /** {@return the keys that go on, in the order asked} */
  public List<K> keys() {
    return ask.keys();
  }

  /** {@return whether no key goes on} */
  public boolean isEmpty() {
    return !ask.isSingle() && ask.keys().isEmpty();
  }

  /** {@return whether it holds a place or a trial, so that the caller must end it} */
  public boolean isHeld() {
    return held != null;
  }

  /**
   * Enters what it holds, if it does.
   *
   * @return the end of the scope, which the same thread closes
   */
  public Scope enter() {
    return held == null ? Scope.NONE : held.enter();
  }

  /**
   * Ends it by what was found for its key.
   *
   * @param found {@code VALUE} and {@code NOTHING} are the verdict of a trial, {@code UNCLEAR}
   *     leaves the verdict to guards that the call has met further in, and {@code OTHER} lets the
   *     key be tried again
   */
  public void end(Finding found) {
    if (held != null) {
      held.end(found);
    }
  }

  /**
   * Ends it by what was found for each of its keys.
   *
   * @param found what the answer shows of a key
   */
  @SuppressWarnings("unchecked") // its keys are of this question
  public void endEach(Function<? super K, Finding> found) {
    if (held instanceof HeldKeys<?> several) {
      ((HeldKeys<K>) several).end(found);
    } else {
      end(ask.isSingle() ? found.apply(ask.key()) : Finding.OTHER);
    }
  }

  /** Ends it without a finding, as after a failure. */
  @Override
  public void close() {
    end(Finding.OTHER);
  }
}
