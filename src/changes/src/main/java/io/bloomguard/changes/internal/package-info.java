/** What feeds of changes have in common, wherever they come from. */
@NullMarked
package io.bloomguard.changes.internal;

import org.jspecify.annotations.NullMarked;
