package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.wiring.BootNames;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.BloomGuardWebFilter;
import io.bloomguard.web.internal.GuardExceptionHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;

/** Keys in request paths, and answers for what the guard refuses, in an application of WebFlux. */
@AutoConfiguration(after = BloomguardAutoConfiguration.class, afterName = BootNames.WEB_FLUX)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(EntryGuards.class)
public final class BloomguardWebFluxAutoConfiguration {

  BloomguardWebFluxAutoConfiguration() {}

  @Bean
  GuardExceptionHandler bloomguardExceptionHandler() {
    return new GuardExceptionHandler();
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty("bloomguard.web.rules[0].pattern")
  static class RulesConfiguration {

    @Bean(BloomguardWebAutoConfiguration.FILTER)
    @ConditionalOnMissingBean(name = BloomguardWebAutoConfiguration.FILTER)
    BloomGuardWebFilter bloomGuardFilter(
        BloomguardProperties properties,
        EntryGuards guards,
        @Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping mapping,
        @Qualifier("webFluxConversionService") ConversionService conversion) {
      return new BloomGuardWebFilter(
          properties.web().rules(), guards, mapping.getPathPatternParser(), conversion);
    }

    /**
     * Takes the types of keys from the handlers, once these are known, and refuses those that match
     * their paths in another way than the rules.
     */
    @Bean
    @Lazy(false) // whatever the application's other beans are
    SmartInitializingSingleton bloomguardPathMatching(
        ApplicationContext context,
        ObjectProvider<RequestMappingHandlerMapping> mappings,
        ObjectProvider<BloomGuardWebFilter> filters,
        @Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping mapping) {
      return () -> {
        ParsedPaths.requireAlike(
            mapping.getPathPatternParser(),
            mappings.stream().map(RequestMappingHandlerMapping::getPathPatternParser),
            "WebFluxConfigurer#configurePathMatching");
        filters.forEach(filter -> filter.prepare(context));
      };
    }
  }
}
