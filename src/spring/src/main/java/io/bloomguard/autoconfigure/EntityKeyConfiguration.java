package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.wiring.BootNames;
import io.bloomguard.guard.KeyedClasses;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/**
 * The verification that each {@code @BloomKey} of the application is applied. Not in slices of it,
 * which leave out what maps its entities.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(
    name = EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY,
    matchIfMissing = true)
class EntityKeyConfiguration {

  @Bean
  SmartInitializingSingleton bloomguardEntityKeyVerifier(
      ConfigurableApplicationContext context, ObjectProvider<KeyedClasses> mappings) {
    return () ->
        EntityKeyVerifier.verify(packages(context), context, mappings.orderedStream().toList());
  }

  private static Set<String> packages(ConfigurableApplicationContext context) {
    Set<String> packages = new LinkedHashSet<>();
    if (AutoConfigurationPackages.has(context.getBeanFactory())) {
      packages.addAll(AutoConfigurationPackages.get(context.getBeanFactory()));
    }
    if (ClassUtils.isPresent(BootNames.ENTITY_SCAN, context.getClassLoader())) {
      packages.addAll(EntityScans.packages(context.getBeanFactory()));
    }
    return packages;
  }
}
