/** The builds of a filter: warm-up, rebuilds, growth, and the upkeep that begins them. */
@NullMarked
package io.bloomguard.generation.internal.build;

import org.jspecify.annotations.NullMarked;
