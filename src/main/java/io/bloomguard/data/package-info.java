/** The writes of aggregates: the saves and deletions of Spring Data JDBC, reported to the guard. */
@NullMarked
package io.bloomguard.data;

import org.jspecify.annotations.NullMarked;
