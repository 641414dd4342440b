/** The places for loads, those who wait for one, and the threads of asynchronous calls. */
@NullMarked
package io.bloomguard.guard.load;

import org.jspecify.annotations.NullMarked;
