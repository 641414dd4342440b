package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** Reads one key's value from the database, or another source of truth; null if there is none. */
@FunctionalInterface
public interface ValueLoader<V, X extends Throwable> {

  @Nullable V load() throws X;
}
