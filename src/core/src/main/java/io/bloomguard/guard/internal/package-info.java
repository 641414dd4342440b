/** The contracts between the rooms of the guard and its entry points. */
@NullMarked
package io.bloomguard.guard.internal;

import org.jspecify.annotations.NullMarked;
