/** What applications add to the operator's page. */
@NullMarked
package io.bloomguard.console;

import org.jspecify.annotations.NullMarked;
