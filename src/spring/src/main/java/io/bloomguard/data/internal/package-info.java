/**
 * Rows without a session: those of Spring Data JDBC's aggregates, of Spring Data R2DBC and of
 * MyBatis' statements, whose writes are reported to the guard, and what chooses rows for each
 * caller.
 */
@NullMarked
package io.bloomguard.data.internal;

import org.jspecify.annotations.NullMarked;
