/** Filters by subject: one small filter for each, in one slot of Redis. */
@NullMarked
package io.bloomguard.classic.internal.subject;

import org.jspecify.annotations.NullMarked;
