package io.bloomguard.aop.internal.verify;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.guard.StartRefusedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.util.ClassUtils;

/**
 * The listener that finds annotated beans in a context without guards: its proxies would have to
 * come from the auto-configuration, which the context lacks.
 *
 * <p>Below a context with guards, the start fails: the child was forgotten. Where no context has
 * any, as in a test that imports chosen auto-configurations, it is told once. A context with guards
 * costs one look for a bean definition.
 */
final class UnguardedContexts implements ApplicationListener<ContextRefreshedEvent> {

  private static final Logger log = LoggerFactory.getLogger(UnguardedContexts.class);

  /** Those that were told of: an event of a child reaches the listeners of its parents too. */
  private static final Set<ApplicationContext> TOLD =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  UnguardedContexts() {}

  /**
   * @throws StartRefusedException for an annotated method below a context with guards
   */
  @Override
  public void onApplicationEvent(ContextRefreshedEvent event) {
    ApplicationContext context = event.getApplicationContext();
    if (isGuarded(context)
        || !context.getEnvironment().getProperty("bloomguard.enabled", boolean.class, true)
        || !(context instanceof ConfigurableApplicationContext configurable)
        || TOLD.contains(context)) {
      return;
    }
    List<Inert> inert = inert(configurable.getBeanFactory());
    if (inert.isEmpty()) {
      return;
    }
    for (ApplicationContext above = context.getParent(); above != null; above = above.getParent()) {
      if (isGuarded(above)) {
        throw inert
            .get(0)
            .method()
            .refuse(
                "is inert: its bean '{}' is in a child context that has no auto-configuration of"
                    + " Bloomguard",
                "Put @EnableAutoConfiguration on a configuration of that context, or define the"
                    + " bean in the parent",
                inert.get(0).bean());
      }
    }
    TOLD.add(context);
    log.warn(
        "Nothing guards {}{}: this context has no auto-configuration of Bloomguard. In a test that"
            + " imports chosen ones, add @AutoConfigureBloomguard of bloomguard-test, or"
            + " BloomguardAutoConfiguration",
        inert.get(0).method().describe(),
        inert.size() == 1 ? "" : " and " + (inert.size() - 1) + " more");
  }

  private static boolean isGuarded(ApplicationContext context) {
    return context.containsBeanDefinition(GuardProxyRegistrar.VERIFIER);
  }

  private record Inert(String bean, AnnotatedMethod<?> method) {}

  private static List<Inert> inert(ConfigurableListableBeanFactory beans) {
    List<Inert> found = new ArrayList<>();
    for (String name : beans.getBeanDefinitionNames()) {
      boolean other = ScopedProxyUtils.isScopedTarget(name) || isStandIn(beans, name);
      Class<?> type = other ? null : type(beans, name);
      if (type != null && !AnnotatedMethod.isFramework(type)) {
        try {
          AnnotatedMethod.all(ClassUtils.getUserClass(type))
              .forEach(each -> found.add(new Inert(name, each)));
        } catch (LinkageError | IllegalStateException | TypeNotPresentException e) {
          log.debug("{} cannot be searched for annotations", type.getName(), e);
        }
      }
    }
    return found;
  }

  /** Whether a test's object takes the place of the bean, for which it names a field. */
  private static boolean isStandIn(ConfigurableListableBeanFactory beans, String name) {
    return beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
        && definition.getQualifiedElement() != null;
  }

  private static @Nullable Class<?> type(ConfigurableListableBeanFactory beans, String name) {
    return beans.isFactoryBean(name)
        ? beans.getType(name, false)
        : AutoProxyUtils.determineTargetClass(beans, name);
  }
}
