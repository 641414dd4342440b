package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * Reads one key's value from the database, or another source of truth; null if there is none.
 *
 * @param <V> the type of the value
 * @param <X> the exception that a load may throw
 */
@FunctionalInterface
public interface ValueLoader<V, X extends Throwable> {

  /**
   * {@return the value; null if there is none}
   *
   * @throws X if the value cannot be read
   */
  @Nullable V load() throws X;
}
