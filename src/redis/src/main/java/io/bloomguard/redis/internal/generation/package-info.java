/** The generations of one filter in Redis under one hash scheme. */
@NullMarked
package io.bloomguard.redis.internal.generation;

import org.jspecify.annotations.NullMarked;
