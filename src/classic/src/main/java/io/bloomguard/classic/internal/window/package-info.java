/** Filters that remember the keys of a stretch of time, in Redis. */
@NullMarked
package io.bloomguard.classic.internal.window;

import org.jspecify.annotations.NullMarked;
