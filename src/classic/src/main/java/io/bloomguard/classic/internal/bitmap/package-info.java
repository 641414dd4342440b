/** Filters in plain bit strings of Redis, which other programs share. */
@NullMarked
package io.bloomguard.classic.internal.bitmap;

import org.jspecify.annotations.NullMarked;
