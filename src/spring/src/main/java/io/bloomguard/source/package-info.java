/** Key sources: a JDBC query, a file. */
@NullMarked
package io.bloomguard.source;

import org.jspecify.annotations.NullMarked;
