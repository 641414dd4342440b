/** Redis adapters: generations of a filter and the value cache. */
@NullMarked
package io.bloomguard.redis;

import org.jspecify.annotations.NullMarked;
