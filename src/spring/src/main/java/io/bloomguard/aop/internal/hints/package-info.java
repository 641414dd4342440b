/** What a native image must keep for annotated methods. */
@NullMarked
package io.bloomguard.aop.internal.hints;

import org.jspecify.annotations.NullMarked;
