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
    Runs.Run run = runs == null ? null : runs.begin(invocation);
    try {
      Object returned = invocation.proceed();
      if (REACTOR && returned != null && PublisherCarrier.publishes(returned)) {
        return PublisherCarrier.witnessed(invocation, returned);
      }
      return run == null ? returned : run.ended(returned);
    } catch (Throwable e) {
      if (run != null) {
        run.failed(e);
      }
      throw e;
    }
  }
}
