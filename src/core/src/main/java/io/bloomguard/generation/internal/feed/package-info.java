/** The changes that a database's log tells of, on their way into a filter. */
@NullMarked
package io.bloomguard.generation.internal.feed;

import org.jspecify.annotations.NullMarked;
