/** The page, what it shows, and how it collects that. */
@NullMarked
package io.bloomguard.console.internal;

import org.jspecify.annotations.NullMarked;
