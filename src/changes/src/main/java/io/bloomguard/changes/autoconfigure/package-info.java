/** What makes the feeds of changes part of an application. */
@NullMarked
package io.bloomguard.changes.autoconfigure;

import org.jspecify.annotations.NullMarked;
