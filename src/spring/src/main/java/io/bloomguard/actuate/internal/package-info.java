/** Operated filters, and who calls for their operation. */
@NullMarked
package io.bloomguard.actuate.internal;

import org.jspecify.annotations.NullMarked;
