/** Spring's transactions, for guards and entry points. */
@NullMarked
package io.bloomguard.transaction.internal;

import org.jspecify.annotations.NullMarked;
