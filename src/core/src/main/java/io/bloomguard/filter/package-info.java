/** Approximate membership: canonical keys, hashing, shapes, sizing and bit images. */
@NullMarked
package io.bloomguard.filter;

import org.jspecify.annotations.NullMarked;
