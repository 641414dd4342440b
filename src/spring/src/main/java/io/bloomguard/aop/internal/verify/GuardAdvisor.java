package io.bloomguard.aop.internal.verify;

import io.bloomguard.aop.internal.call.GuardInterceptor;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;

/** The advisor that applies the calls of one annotation to the methods that carry it. */
@SuppressWarnings("serial") // never serialized
public final class GuardAdvisor extends StaticMethodMatcherPointcutAdvisor {

  /** Outside of {@code @Cacheable} and {@code @Transactional}: a rejected call costs neither. */
  public static final int GUARDED_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

  private final transient GuardInterceptor<?> calls;

  private GuardAdvisor(GuardInterceptor<?> calls, int order) {
    super(calls);
    this.calls = calls;
    setOrder(order);
    Class<? extends Annotation> annotation = calls.annotation();
    setClassFilter(
        type -> {
          calls.requireNotOnClass(type);
          return AnnotationUtils.isCandidateClass(type, annotation);
        });
  }

  /**
   * {@return the advisor of {@code @BloomGuarded}}
   *
   * @param methods the compiled methods, shared by all three advisors
   */
  public static GuardAdvisor guarded(GuardedMethods methods) {
    return new GuardAdvisor(methods.guardedCalls(), GUARDED_ORDER);
  }

  /**
   * {@return the advisor of {@code @BloomPut}, which must be inside of {@code @Transactional}} That
   * one has the lowest precedence, so this one's bean must be registered after it.
   *
   * @param methods the compiled methods, shared by all three advisors
   */
  public static GuardAdvisor put(GuardedMethods methods) {
    return new GuardAdvisor(methods.putCalls(), Ordered.LOWEST_PRECEDENCE);
  }

  /**
   * {@return the advisor of {@code @BloomEvict}, inside of {@code @Transactional} as well}
   *
   * @param methods the compiled methods, shared by all three advisors
   */
  public static GuardAdvisor evict(GuardedMethods methods) {
    return new GuardAdvisor(methods.evictCalls(), Ordered.LOWEST_PRECEDENCE);
  }

  @Override
  public boolean matches(Method method, Class<?> target) {
    AnnotatedMethod<?> found = AnnotatedMethod.find(calls.annotation(), method, target);
    if (found == null) {
      return false;
    }
    Reachability.requireProxyable(found);
    return true;
  }
}
