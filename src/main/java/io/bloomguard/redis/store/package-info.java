/**
 * The store that filters in Redis are kept in, whatever hash schemes they have: backend {@code
 * redis}.
 */
@NullMarked
package io.bloomguard.redis.store;

import org.jspecify.annotations.NullMarked;
