/**
 * The recently added keys, remembered by the processes that must add them again, and the bound on
 * them.
 */
@org.jspecify.annotations.NullMarked
package io.bloomguard.generation.internal.journal;
