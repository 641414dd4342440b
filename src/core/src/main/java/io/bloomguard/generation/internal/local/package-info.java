/** The store of a filter on this process' heap. */
@NullMarked
package io.bloomguard.generation.internal.local;

import org.jspecify.annotations.NullMarked;
