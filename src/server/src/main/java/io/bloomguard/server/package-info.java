/** The runnable server: the membership API and the demo catalogue over the public starter. */
@NullMarked
package io.bloomguard.server;

import org.jspecify.annotations.NullMarked;
