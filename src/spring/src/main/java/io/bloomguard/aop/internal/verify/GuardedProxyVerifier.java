package io.bloomguard.aop.internal.verify;

import io.bloomguard.aop.internal.call.GuardInterceptor;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.guard.StartRefusedException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * The verifier of proxies that have just been made: it refuses a bean whose proxy does not see all
 * of its annotated methods, or whose methods cannot be guarded as written. Prototypes, scoped and
 * lazy beans do not exist at the start, and their declared type may be less specific than their
 * class.
 */
public final class GuardedProxyVerifier implements BeanPostProcessor {

  private final ObjectProvider<GuardedMethods> methods;
  private final Set<Verified> verified = ConcurrentHashMap.newKeySet();

  /**
   * A verifier of beans that are yet to be made.
   *
   * @param methods the compiled methods, called for when a proxy is made, not before
   */
  public GuardedProxyVerifier(ObjectProvider<GuardedMethods> methods) {
    this.methods = methods;
  }

  /**
   * @throws StartRefusedException for the first method that the proxy does not see
   */
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    Class<?> target = bean instanceof Advised advised ? advised.getTargetClass() : null;
    if (target != null) {
      for (GuardInterceptor<?> table : methods.getObject().tables()) {
        verify(table, (Advised) bean, target);
      }
    }
    return bean;
  }

  private <A extends Annotation> void verify(
      GuardInterceptor<A> table, Advised bean, Class<?> target) {
    Reachability.advisedOnce(bean, table);
    boolean advised = Reachability.isAdvised(bean, table);
    boolean unused = Reachability.witness(bean, table);
    Verified kind = new Verified(bean.getClass(), target, table.annotation(), advised);
    if (verified.contains(kind)) {
      return;
    }
    Class<?> type = ClassUtils.getUserClass(target);
    Map<Method, AnnotatedMethod<A>> found = table.of(type);
    // The guards are made with the other beans: methods are not compiled until all beans exist.
    boolean compiling = methods.getObject().areVerified();
    if (advised) {
      found.values().forEach(one -> Reachability.requireReached(one, bean, table));
      if (compiling) {
        found.keySet().forEach(method -> table.compile(method, type));
      }
    } else if (!found.isEmpty() && !Reachability.leadsToGuard(bean, table)) {
      throw Reachability.isBehindAnother(found.values().iterator().next());
    }
    if (compiling && (advised || found.isEmpty())) {
      verified.add(kind);
    }
  }

  /**
   * A kind of proxy around a class; their number is bounded by the application's classes.
   *
   * @param advised whether it makes the calls of the annotation
   */
  private record Verified(
      Class<?> proxy, Class<?> target, Class<? extends Annotation> annotation, boolean advised) {}
}
