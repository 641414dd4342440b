/** How the classic systems become backends of an application. */
@NullMarked
package io.bloomguard.classic.autoconfigure;

import org.jspecify.annotations.NullMarked;
