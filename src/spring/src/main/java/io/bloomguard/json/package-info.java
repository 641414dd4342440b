/** Values as JSON. */
@NullMarked
package io.bloomguard.json;

import org.jspecify.annotations.NullMarked;
