/** The guards: from a filter's answer for a key to the decision and the key's one outcome. */
@NullMarked
package io.bloomguard.guard.internal.decision;

import org.jspecify.annotations.NullMarked;
