/** The words a user writes on methods. */
@NullMarked
package io.bloomguard.annotation;

import org.jspecify.annotations.NullMarked;
