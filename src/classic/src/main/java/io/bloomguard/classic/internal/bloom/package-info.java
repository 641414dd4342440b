/** Filters of the RedisBloom module and its kin that other clients own or share. */
@org.jspecify.annotations.NullMarked
package io.bloomguard.classic.internal.bloom;
