/** What the classic systems have in common. */
@NullMarked
package io.bloomguard.classic.internal;

import org.jspecify.annotations.NullMarked;
