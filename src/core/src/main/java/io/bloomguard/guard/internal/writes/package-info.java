/** The writes: barrier, add, the row, and the end of the barrier. */
@NullMarked
package io.bloomguard.guard.internal.writes;

import org.jspecify.annotations.NullMarked;
