/** What applications call and catch, and what stores and caches of their own implement. */
@NullMarked
package io.bloomguard.guard;

import org.jspecify.annotations.NullMarked;
