package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** Reads one key's value from where the truth is; null if there is none. */
@FunctionalInterface
public interface ValueLoader<V, X extends Throwable> {

  @Nullable V load() throws X;
}
