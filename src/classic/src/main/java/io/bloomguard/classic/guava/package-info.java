/** Filters of Guava and their files, which other programs share. */
@NullMarked
package io.bloomguard.classic.guava;

import org.jspecify.annotations.NullMarked;
