/** The question to an exact source before a blacklist rejects a key. */
@NullMarked
package io.bloomguard.guard.internal.confirm;

import org.jspecify.annotations.NullMarked;
