/** Filters by subject: one small filter for each, in one slot of Redis. */
@NullMarked
package io.bloomguard.redis.subject;

import org.jspecify.annotations.NullMarked;
