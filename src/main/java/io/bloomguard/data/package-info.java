/** Writes of aggregates: what Spring Data JDBC saves and deletes, told to the guard. */
@NullMarked
package io.bloomguard.data;

import org.jspecify.annotations.NullMarked;
