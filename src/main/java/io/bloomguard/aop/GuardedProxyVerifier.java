package io.bloomguard.aop;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Refuses a bean whose proxy does not see all of its annotated methods, when that proxy has just
 * been made: of prototypes, scoped and lazy beans there is none at the start.
 */
public final class GuardedProxyVerifier implements BeanPostProcessor {

  private final ObjectProvider<GuardedMethods> methods;
  private final Set<Verified> verified = ConcurrentHashMap.newKeySet();

  public GuardedProxyVerifier(ObjectProvider<GuardedMethods> methods) {
    this.methods = methods;
  }

  /**
   * @throws GuardedMethodException for the first method that the proxy does not see
   */
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    Class<?> target = bean instanceof Advised advised ? advised.getTargetClass() : null;
    if (target != null && !verified.contains(new Verified(bean.getClass(), target))) {
      for (CallTable<?> table : methods.getObject().tables()) {
        verify(table, (Advised) bean, ClassUtils.getUserClass(target));
      }
      verified.add(new Verified(bean.getClass(), target));
    }
    return bean;
  }

  private static <A extends Annotation> void verify(
      CallTable<A> table, Advised bean, Class<?> type) {
    if (Arrays.stream(bean.getAdvisors()).anyMatch(a -> a.getAdvice() == table)) {
      table.forEach(type, (method, found) -> Reachability.requireReached(found, bean, table));
    }
  }

  /** A kind of proxy around a class; of both there are as many as the application has classes. */
  private record Verified(Class<?> proxy, Class<?> target) {}
}
