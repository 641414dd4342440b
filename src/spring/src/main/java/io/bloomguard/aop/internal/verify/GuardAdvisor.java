package io.bloomguard.aop.internal.verify;

import io.bloomguard.annotation.BloomGuarded;
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

  private GuardAdvisor(GuardInterceptor<?> calls) {
    super(calls);
    this.calls = calls;
    Class<? extends Annotation> annotation = calls.annotation();
    setOrder(annotation == BloomGuarded.class ? GUARDED_ORDER : Ordered.LOWEST_PRECEDENCE);
    setClassFilter(
        type -> {
          calls.requireNotOnClass(type);
          return AnnotationUtils.isCandidateClass(type, annotation);
        });
  }

  /**
   * {@return the advisor of one annotation} Those of {@code @BloomPut} and {@code @BloomEvict} must
   * be inside of {@code @Transactional}. That one has the lowest precedence, so their beans must be
   * registered after it.
   *
   * @param methods the compiled methods, shared by all three advisors
   * @param annotation its place in {@link AnnotatedMethod#TYPES}
   */
  public static GuardAdvisor of(GuardedMethods methods, int annotation) {
    return new GuardAdvisor(methods.tables().get(annotation));
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
