package io.bloomguard.jpa.internal;

import org.jspecify.annotations.Nullable;

/**
 * A row as Hibernate passes it to its listeners.
 *
 * @param id null if the row has none yet
 * @param state the values of its attributes but the id; null if they are not known
 */
record EntityState(@Nullable Object id, @Nullable Object @Nullable [] state) {}
