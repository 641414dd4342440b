/** What is read of an annotated method. */
@NullMarked
package io.bloomguard.aop.internal.method;

import org.jspecify.annotations.NullMarked;
