/** The common part of the stores of classic systems. */
@NullMarked
package io.bloomguard.classic.internal;

import org.jspecify.annotations.NullMarked;
