/** The operator's page, and the calls that bring it what the endpoint does not have. */
@NullMarked
package io.bloomguard.console;

import org.jspecify.annotations.NullMarked;
