/** How the console becomes part of an application. */
@NullMarked
package io.bloomguard.console.autoconfigure;

import org.jspecify.annotations.NullMarked;
