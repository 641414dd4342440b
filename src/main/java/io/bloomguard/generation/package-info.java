/** Filling a filter: key sources, warm-up, rebuild and the swap of generations. */
@NullMarked
package io.bloomguard.generation;

import org.jspecify.annotations.NullMarked;
