/** What runs at a call of an annotated method. */
@NullMarked
package io.bloomguard.aop.internal.call;

import org.jspecify.annotations.NullMarked;
