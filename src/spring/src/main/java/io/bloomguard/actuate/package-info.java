/** The operators' interface: the endpoint, the health indicator and the meters. */
@NullMarked
package io.bloomguard.actuate;

import org.jspecify.annotations.NullMarked;
