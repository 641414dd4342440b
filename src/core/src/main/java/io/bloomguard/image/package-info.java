/** Images of filters at rest: built anywhere, read by any process with the filter. */
@NullMarked
package io.bloomguard.image;

import org.jspecify.annotations.NullMarked;
