package io.bloomguard.aop.internal.call;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The innermost interceptor of guarded methods, which tells the guard how the runs of a method have
 * ended. Aspects between them, such as fallbacks and retries, answer in the method's place.
 */
public final class Witness implements MethodInterceptor {

  public static final Witness INNERMOST = new Witness();

  private static final boolean REACTOR =
      ClassUtils.isPresent("reactor.core.publisher.Mono", Witness.class.getClassLoader());

  private Witness() {}

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Runs runs = Runs.in(invocation);
    if (runs == null) {
      Object returned = invocation.proceed();
      return REACTOR ? PublisherCarrier.witnessed(invocation, returned) : returned;
    }
    Runs.Run run = runs.begin();
    return run.ended(invocation.proceed());
  }
}
