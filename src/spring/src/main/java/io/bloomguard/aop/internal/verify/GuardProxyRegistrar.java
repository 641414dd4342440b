package io.bloomguard.aop.internal.verify;

import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.ConstructorArgumentValues;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers the proxy creator, the three advisors and the verifiers around one {@link
 * GuardedMethods} bean. Import it after the registration of the transaction advisor: the order of
 * registration decides between equal precedences.
 */
public final class GuardProxyRegistrar implements ImportBeanDefinitionRegistrar {

  private static final String PREFIX = "io.bloomguard.aop.";

  /** The bean that every context with guards has. */
  static final String VERIFIER = PREFIX + "guardedMethodVerifier";

  GuardProxyRegistrar() {}

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    if (registry instanceof ConfigurableListableBeanFactory beans) {
      CreatedBeans.watch(beans);
    }
    for (int i = 0; i < AnnotatedMethod.TYPES.size(); i++) {
      RootBeanDefinition advisor = new RootBeanDefinition(GuardAdvisor.class);
      advisor.setFactoryMethodName("of");
      ConstructorArgumentValues arguments = advisor.getConstructorArgumentValues();
      arguments.addIndexedArgumentValue(0, new RuntimeBeanReference(GuardedMethods.class));
      arguments.addIndexedArgumentValue(1, i);
      String kind = AnnotatedMethod.TYPES.get(i).getSimpleName();
      register(registry, PREFIX + kind + "Advisor", advisor);
    }
    register(registry, VERIFIER, autowired(GuardedMethodVerifier.class));
    register(registry, PREFIX + "guardedProxyVerifier", autowired(GuardedProxyVerifier.class));
  }

  private static RootBeanDefinition autowired(Class<?> type) {
    RootBeanDefinition definition = new RootBeanDefinition(type);
    definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
    definition.setLazyInit(false); // whatever the application's other beans are
    return definition;
  }

  private static void register(
      BeanDefinitionRegistry registry, String name, RootBeanDefinition definition) {
    definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
    registry.registerBeanDefinition(name, definition);
  }
}
