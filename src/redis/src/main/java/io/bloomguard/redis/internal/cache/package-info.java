/** Values, null entries and leases in Redis. */
@NullMarked
package io.bloomguard.redis.internal.cache;

import org.jspecify.annotations.NullMarked;
