/** The value cache on the heap, and how caches are made and shared. */
@NullMarked
package io.bloomguard.guard.internal.cache;

import org.jspecify.annotations.NullMarked;
