/** Feeds of changes from the log of a database, by Debezium's engine in this process. */
@NullMarked
package io.bloomguard.changes.internal.database;

import org.jspecify.annotations.NullMarked;
