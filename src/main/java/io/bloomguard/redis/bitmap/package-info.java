/** Filters in plain bit strings of Redis, which other programs share. */
@NullMarked
package io.bloomguard.redis.bitmap;

import org.jspecify.annotations.NullMarked;
