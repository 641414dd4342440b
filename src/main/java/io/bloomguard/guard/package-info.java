/** The contracts of the guard: what callers ask, and what stores, caches and listeners answer. */
@NullMarked
package io.bloomguard.guard;

import org.jspecify.annotations.NullMarked;
