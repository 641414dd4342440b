/**
 * Filters and values in Redis: one package for each room of the protocol, one for each classic
 * system.
 */
@NullMarked
package io.bloomguard.redis;

import org.jspecify.annotations.NullMarked;
