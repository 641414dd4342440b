/** Approximate membership: hashing, shapes and sizes. */
@NullMarked
package io.bloomguard.filter;

import org.jspecify.annotations.NullMarked;
