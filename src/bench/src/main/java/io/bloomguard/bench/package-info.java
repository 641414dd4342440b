/**
 * Benchmarks of the library and its peers, side by side: {@code mvn -Pbench verify}.
 *
 * <p>A benchmark's methods are named for the contestants; {@code bloomguard} is the one to which
 * the others are compared.
 */
package io.bloomguard.bench;
