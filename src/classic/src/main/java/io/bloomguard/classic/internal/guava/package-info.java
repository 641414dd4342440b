/** Filters of Guava and their files, which other programs share. */
@NullMarked
package io.bloomguard.classic.internal.guava;

import org.jspecify.annotations.NullMarked;
