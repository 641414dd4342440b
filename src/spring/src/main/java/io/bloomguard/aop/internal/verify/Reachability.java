package io.bloomguard.aop.internal.verify;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.internal.call.GuardInterceptor;
import io.bloomguard.aop.internal.call.Witness;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.util.ClassUtils;

/** The check whether calls of a method pass through a proxy. */
final class Reachability {

  private static final String ACTION =
      "Make it a method that a proxy can override or implement, or use BloomGuard in code";

  private Reachability() {}

  /** Refuses methods that no kind of proxy can see. */
  static void requireProxyable(AnnotatedMethod<?> found) {
    Method method = found.specific();
    int modifiers = method.getModifiers();
    found.refuseIf(
        Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers),
        "is on a {} method, which no proxy can reach",
        ACTION,
        Modifier.isPrivate(modifiers) ? "private" : "static");
    requireVisible(found, found.target());
    found.refuseIf(
        Modifier.isFinal(found.target().getModifiers())
            && ClassUtils.getAllInterfacesForClass(found.target()).length == 0,
        "is in the final class {} without interfaces, which no proxy can extend",
        ACTION,
        found.target().getTypeName());
    if (Modifier.isFinal(modifiers) && !isInterfaceMethod(found)) {
      throw isFinal(found);
    }
  }

  /** Refuses what a proxy that extends the class cannot see. */
  static void requireOverridable(AnnotatedMethod<?> found) {
    if (Modifier.isFinal(found.specific().getModifiers())) {
      throw isFinal(found);
    }
    found.refuseIf(
        Modifier.isFinal(found.target().getModifiers()),
        "is in the final class {}, but the bean's proxy extends the class",
        "Make the class open, or let proxies have its interfaces only"
            + " (spring.aop.proxy-target-class = false)",
        found.target().getTypeName());
  }

  /** Refuses methods that the proxy of {@code bean} cannot see, and a bean without our proxy. */
  static void requireReached(AnnotatedMethod<?> found, Object bean, GuardInterceptor<?> calls) {
    if (!(bean instanceof Advised proxy) || !leadsToGuard(proxy, calls)) {
      throw found.refuse(
          "is on a bean without a proxy, which was made before or outside of them",
          "Let the container create the bean, and no BeanPostProcessor depend on it");
    }
    found.refuseIf(
        !witness(proxy, calls),
        "is on a bean whose proxy is frozen, so answers of other aspects could not be told from its"
            + " own",
        "Leave freezeProxy of the proxy creator off");
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
      requireVisible(found, bean.getClass());
    }
  }

  /** Whether {@code bean} is a proxy that makes the calls. */
  static boolean isAdvised(Object bean, GuardInterceptor<?> calls) {
    return bean instanceof Advised advised
        && Arrays.stream(advised.getAdvisors()).anyMatch(a -> a.getAdvice() == calls);
  }

  /**
   * Whether {@code proxy}, or a proxy that it calls, makes the calls. A proxy that changes its
   * target while it lives counts as one: the target is a bean, which is verified by itself.
   */
  static boolean leadsToGuard(Advised proxy, GuardInterceptor<?> calls) {
    if (isAdvised(proxy, calls) || !proxy.getTargetSource().isStatic()) {
      return true;
    }
    return AopProxyUtils.getSingletonTarget(proxy) instanceof Advised inner
        && leadsToGuard(inner, calls);
  }

  /** Takes the calls from a proxy whose target makes them: two would guard one call twice. */
  static void advisedOnce(Advised proxy, GuardInterceptor<?> calls) {
    if (!proxy.isFrozen()
        && isAdvised(proxy, calls)
        && proxy.getTargetSource().isStatic()
        && AopProxyUtils.getSingletonTarget(proxy) instanceof Advised inner
        && leadsToGuard(inner, calls)) {
      proxy.removeAdvice(calls);
    }
  }

  /**
   * Puts the witness of guarded methods inside of all other aspects of a proxy that guards them;
   * false if the proxy cannot be changed.
   */
  static boolean witness(Advised proxy, GuardInterceptor<?> calls) {
    Advisor[] all = proxy.getAdvisors();
    for (Advisor advisor : all) {
      if (advisor.getAdvice() == calls
          && calls.annotation() == BloomGuarded.class
          && advisor instanceof PointcutAdvisor guard
          && all[all.length - 1].getAdvice() != Witness.INNERMOST) {
        if (proxy.isFrozen()) {
          return false;
        }
        proxy.removeAdvice(Witness.INNERMOST);
        proxy.addAdvisor(new DefaultPointcutAdvisor(guard.getPointcut(), Witness.INNERMOST));
      }
    }
    return true;
  }

  /** Refuses an object that another proxy calls past the guard. */
  static StartRefusedException isBehindAnother(AnnotatedMethod<?> found) {
    return found.refuse(
        "is on an object behind a proxy of another kind, which calls it past the guard",
        "Make the object a bean of its own, and let the proxy call that bean");
  }

  /** Refuses a method that a subclass of {@code type} in its place cannot override. */
  private static void requireVisible(AnnotatedMethod<?> found, Class<?> type) {
    Class<?> declaring = found.specific().getDeclaringClass();
    found.refuseIf(
        (found.specific().getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
            && (!declaring.getPackageName().equals(type.getPackageName())
                || declaring.getClassLoader() != type.getClassLoader()),
        "is on a package-private method of another package or class loader, which no proxy can"
            + " override",
        "Make it public or protected, or use BloomGuard in code");
  }

  private static StartRefusedException isFinal(AnnotatedMethod<?> found) {
    return found.refuse("is on a final method, which no proxy can override", ACTION);
  }

  private static boolean isInterfaceMethod(AnnotatedMethod<?> found) {
    Method method = found.specific();
    return Arrays.stream(ClassUtils.getAllInterfacesForClass(found.target()))
        .anyMatch(type -> ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes()));
  }
}
