/** The guards: what a filter says of a key, what that leads to, and the one outcome of it. */
@NullMarked
package io.bloomguard.guard.decision;

import org.jspecify.annotations.NullMarked;
