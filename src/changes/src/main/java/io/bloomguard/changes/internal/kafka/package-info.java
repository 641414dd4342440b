/** Feeds of changes from Kafka. */
@NullMarked
package io.bloomguard.changes.internal.kafka;

import org.jspecify.annotations.NullMarked;
