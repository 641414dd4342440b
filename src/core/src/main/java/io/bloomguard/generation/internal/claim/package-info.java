/** Adds that may be repeated: a claim keeps the answer to the first of them. */
@NullMarked
package io.bloomguard.generation.internal.claim;

import org.jspecify.annotations.NullMarked;
