/** Bitmaps that other programs share: their hashes, and the places of a key's bits. */
@NullMarked
package io.bloomguard.classic.internal.hash;

import org.jspecify.annotations.NullMarked;
