/** Filters in blocks, their images, and the canonical form of keys. */
@NullMarked
package io.bloomguard.filter.internal;

import org.jspecify.annotations.NullMarked;
