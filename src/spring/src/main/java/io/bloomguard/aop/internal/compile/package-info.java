/** The calls that are made of annotated methods, once, and what is refused of them. */
@NullMarked
package io.bloomguard.aop.internal.compile;

import org.jspecify.annotations.NullMarked;
