/** Bitmaps that other programs share: their hashes, and where the bits of a key lie. */
@NullMarked
package io.bloomguard.filter.classic;

import org.jspecify.annotations.NullMarked;
