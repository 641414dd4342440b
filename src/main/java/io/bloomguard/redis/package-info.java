/** Redis adapters: generations of a filter, the value cache and the shared hash secret. */
@NullMarked
package io.bloomguard.redis;

import org.jspecify.annotations.NullMarked;
