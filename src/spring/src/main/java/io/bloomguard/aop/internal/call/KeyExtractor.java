package io.bloomguard.aop.internal.call;

import org.jspecify.annotations.Nullable;

/** The reader of a key, or a collection of keys, from a call. */
@FunctionalInterface
public interface KeyExtractor {

  /**
   * Reads the key of one call.
   *
   * @param arguments the arguments of the call
   * @param result the method's result; null before it has returned
   */
  @Nullable Object extract(@Nullable Object[] arguments, @Nullable Object result);
}
