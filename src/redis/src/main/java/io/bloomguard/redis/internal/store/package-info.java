/** The store of filters in Redis, under any hash scheme: backend {@code redis}. */
@NullMarked
package io.bloomguard.redis.internal.store;

import org.jspecify.annotations.NullMarked;
