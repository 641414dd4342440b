/** The words a user writes on methods and entities. */
@NullMarked
package io.bloomguard.annotation;

import org.jspecify.annotations.NullMarked;
