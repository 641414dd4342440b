/** The file through which a filter on the heap outlives its process, and the trust in it. */
@NullMarked
package io.bloomguard.generation.internal.snapshot;

import org.jspecify.annotations.NullMarked;
