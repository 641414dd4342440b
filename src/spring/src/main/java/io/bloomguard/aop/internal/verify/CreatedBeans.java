package io.bloomguard.aop.internal.verify;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;

/**
 * The names of the beans that the container has created from their definitions during its start.
 *
 * <p>A singleton with a definition that is not among them replaces the bean of the definition, as a
 * test's mock does. Such an object needs no proxy.
 */
final class CreatedBeans {

  static final String NAME = "io.bloomguard.aop.createdBeans";

  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private volatile boolean starting = true;

  /** Notes the beans that {@code beans} creates from now on. */
  static void watch(ConfigurableListableBeanFactory beans) {
    if (!beans.containsSingleton(NAME)) {
      CreatedBeans created = new CreatedBeans();
      beans.registerSingleton(NAME, created);
      // Not a bean itself: Spring would register it a second time, find one post-processor too few
      // for the rest of the start, and warn about every bean.
      beans.addBeanPostProcessor(
          (MergedBeanDefinitionPostProcessor) (definition, type, name) -> created.add(name));
    }
  }

  private void add(String name) {
    if (starting) {
      names.add(name);
    }
  }

  boolean contains(String name) {
    return names.contains(name);
  }

  /** Forgets all names: the proxies of later beans are verified when they are made. */
  void started() {
    starting = false;
    names.clear();
  }
}
