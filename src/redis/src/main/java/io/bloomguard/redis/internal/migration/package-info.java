/** The steps by which one hash scheme of a filter takes the place of another. */
@NullMarked
package io.bloomguard.redis.internal.migration;

import org.jspecify.annotations.NullMarked;
