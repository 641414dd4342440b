/** Filters by subject: one small filter for each, in one slot of Redis. */
@NullMarked
package io.bloomguard.classic.subject;

import org.jspecify.annotations.NullMarked;
