/** Properties, wiring and failure analysis: how the rooms of the house become one application. */
@NullMarked
package io.bloomguard.autoconfigure;

import org.jspecify.annotations.NullMarked;
