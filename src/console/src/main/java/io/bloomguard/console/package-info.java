/** The operator's page, and the calls for data that the endpoint does not have. */
@NullMarked
package io.bloomguard.console;

import org.jspecify.annotations.NullMarked;
