/** The settings of Bloomguard, and what is refused of them. */
@NullMarked
package io.bloomguard.autoconfigure.internal.properties;

import org.jspecify.annotations.NullMarked;
