/** The filters, stores, sources and caches that are made from the settings. */
@NullMarked
package io.bloomguard.autoconfigure.internal.wiring;

import org.jspecify.annotations.NullMarked;
