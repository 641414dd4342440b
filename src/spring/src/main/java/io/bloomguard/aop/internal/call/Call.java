package io.bloomguard.aop.internal.call;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The work around calls of one annotated method. */
@FunctionalInterface
public interface Call {

  @Nullable Object invoke(MethodInvocation invocation) throws Throwable;
}
