package io.bloomguard.aop;

import org.jspecify.annotations.Nullable;

/** Reads a key, or a collection of keys, from a call. */
@FunctionalInterface
interface KeyExtractor {

  /**
   * Reads the key of one call.
   *
   * @param arguments the arguments of the call
   * @param result what the method returned; null before it has
   */
  @Nullable Object extract(@Nullable Object[] arguments, @Nullable Object result);
}
