/** Connections to Redis: sessions, their breaker, and the scripts sent over them. */
@org.jspecify.annotations.NullMarked
package io.bloomguard.redis.internal.client;
