/** The contracts of filling a filter: key sources, generations, stores, and the status of both. */
@NullMarked
package io.bloomguard.generation;

import org.jspecify.annotations.NullMarked;
