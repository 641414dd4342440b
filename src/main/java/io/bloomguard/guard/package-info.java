/** The decision and the pipeline behind it: membership, value cache, lease, load, answer. */
@NullMarked
package io.bloomguard.guard;

import org.jspecify.annotations.NullMarked;
