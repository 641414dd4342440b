package io.bloomguard.aop;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The work around calls of one annotated method. */
@FunctionalInterface
interface Call {

  @Nullable Object invoke(MethodInvocation invocation) throws Throwable;
}
