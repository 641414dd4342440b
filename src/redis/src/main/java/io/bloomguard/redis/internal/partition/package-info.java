/**
 * One partition of a filter in Redis: checks, adds and removals by its head, and the recovery after
 * a loss.
 */
@NullMarked
package io.bloomguard.redis.internal.partition;

import org.jspecify.annotations.NullMarked;
