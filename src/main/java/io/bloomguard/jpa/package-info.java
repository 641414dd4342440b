/** Entities: which values are some, and their writes. */
@NullMarked
package io.bloomguard.jpa;

import org.jspecify.annotations.NullMarked;
