/** The contracts between the rooms of the generations, their stores and wiring. */
@NullMarked
package io.bloomguard.generation.internal;

import org.jspecify.annotations.NullMarked;
