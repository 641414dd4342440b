/**
 * The ways to a value: flights, leases, places in the bulkhead, and the threads of asynchronous
 * calls.
 */
@NullMarked
package io.bloomguard.guard.internal.load;

import org.jspecify.annotations.NullMarked;
