/** The watched readings of a key source: recent rows, single rows and samples. */
@NullMarked
package io.bloomguard.generation.internal.source;

import org.jspecify.annotations.NullMarked;
