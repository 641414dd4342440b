/** Key sources: a JDBC or R2DBC query, a file; and an exact source of blacklists. */
@NullMarked
package io.bloomguard.source.internal;

import org.jspecify.annotations.NullMarked;
