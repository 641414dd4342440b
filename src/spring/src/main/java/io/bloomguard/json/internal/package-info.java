/** Values as JSON. */
@NullMarked
package io.bloomguard.json.internal;

import org.jspecify.annotations.NullMarked;
