package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The permit to load.
 *
 * @param lease the lease; null if the value cache is out of reach
 * @param outdated whether the load may miss a write that has ended: its value is for its caller
 *     alone
 */
record LoadPermit(@Nullable Lease lease, boolean outdated) {}
