/** The records of a topic, and the changes that they tell of. */
@NullMarked
package io.bloomguard.changes.internal.record;

import org.jspecify.annotations.NullMarked;
