package io.bloomguard.aop;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** What happens around calls of one annotated method. */
@FunctionalInterface
interface Call {

  @Nullable Object invoke(MethodInvocation invocation) throws Throwable;
}
