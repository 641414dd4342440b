/** The contracts of the guard: for its callers, and for its stores, caches and listeners. */
@NullMarked
package io.bloomguard.guard;

import org.jspecify.annotations.NullMarked;
