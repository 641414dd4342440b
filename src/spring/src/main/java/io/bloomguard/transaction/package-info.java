/** Spring's transactions, for guards and entry points. */
@NullMarked
package io.bloomguard.transaction;

import org.jspecify.annotations.NullMarked;
