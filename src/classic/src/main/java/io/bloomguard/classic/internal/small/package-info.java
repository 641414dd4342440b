/** Small images in Redis, of a window's generations or of subjects: their form and their calls. */
@NullMarked
package io.bloomguard.classic.internal.small;

import org.jspecify.annotations.NullMarked;
