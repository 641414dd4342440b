package io.bloomguard.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Whether calls of a method pass through a proxy. */
final class Reachability {

  private static final String ACTION =
      "Make it a method that a proxy can override or implement, or use BloomGuard in code";

  private Reachability() {}

  /** Refuses what no kind of proxy can see. */
  static void requireProxyable(AnnotatedMethod<?> found) {
    Method method = found.specific();
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
      String kind = Modifier.isPrivate(modifiers) ? "private" : "static";
      throw found.refuse("is on a " + kind + " method, which no proxy can reach", ACTION);
    }
    if (Modifier.isFinal(found.target().getModifiers())
        && ClassUtils.getAllInterfacesForClass(found.target()).length == 0) {
      throw found.refuse(
          "is in the final class "
              + found.target().getTypeName()
              + " without interfaces, which no proxy can extend",
          ACTION);
    }
    if (Modifier.isFinal(modifiers) && !isInterfaceMethod(found)) {
      throw isFinal(found);
    }
  }

  /** Refuses what a proxy that extends the class cannot see. */
  static void requireOverridable(AnnotatedMethod<?> found) {
    if (Modifier.isFinal(found.specific().getModifiers())) {
      throw isFinal(found);
    }
    if (Modifier.isFinal(found.target().getModifiers())) {
      throw found.refuse(
          "is in the final class "
              + found.target().getTypeName()
              + ", but the bean's proxy extends the class",
          "Make the class open, or let proxies have its interfaces only (spring.aop.proxy-target-class"
              + " = false)");
    }
  }

  /** Refuses what the proxy of {@code bean} cannot see, and a bean that has no proxy of ours. */
  static void requireReached(AnnotatedMethod<?> found, Object bean, CallTable<?> calls) {
    if (!(bean instanceof Advised advised)
        || Arrays.stream(advised.getAdvisors()).noneMatch(a -> a.getAdvice() == calls)) {
      throw found.refuse(
          "is on a bean without a proxy, which was made before or outside of them",
          "Let the container create the bean, and no BeanPostProcessor depend on it");
    }
    if (AopUtils.isJdkDynamicProxy(bean)) {
      try {
        AopUtils.selectInvocableMethod(found.declared(), bean.getClass());
      } catch (IllegalStateException e) {
        throw found.refuse(
            "is on a method of no interface, but the bean's proxy has only its interfaces",
            "Declare the method in an interface, or let proxies extend the class"
                + " (proxyTargetClass = true)");
      }
    } else {
      requireOverridable(found);
    }
  }

  private static GuardedMethodException isFinal(AnnotatedMethod<?> found) {
    return found.refuse("is on a final method, which no proxy can override", ACTION);
  }

  private static boolean isInterfaceMethod(AnnotatedMethod<?> found) {
    Method method = found.specific();
    return Arrays.stream(ClassUtils.getAllInterfacesForClass(found.target()))
        .anyMatch(type -> ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes()));
  }
}
