/** Spring's transactions, as guards and entry points ask about them. */
@NullMarked
package io.bloomguard.transaction;

import org.jspecify.annotations.NullMarked;
