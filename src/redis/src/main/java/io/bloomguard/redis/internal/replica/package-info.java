/** The copy of a serving image in this process, which follows the journal. */
@NullMarked
package io.bloomguard.redis.internal.replica;

import org.jspecify.annotations.NullMarked;
