/**
 * The image of a generation as a string in Redis: its layout, its seals, and the reads of it, with
 * the head that names it.
 */
@NullMarked
package io.bloomguard.redis.internal.image;

import org.jspecify.annotations.NullMarked;
