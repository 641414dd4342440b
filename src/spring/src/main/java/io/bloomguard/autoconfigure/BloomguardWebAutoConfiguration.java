package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.wiring.BootNames;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.BloomGuardFilter;
import io.bloomguard.web.internal.GuardExceptionHandler;
import io.bloomguard.web.internal.RejectionResolver;
import jakarta.servlet.DispatcherType;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/** Keys in request paths, and answers for what the guard refuses, in a servlet application. */
@AutoConfiguration(after = BloomguardAutoConfiguration.class, afterName = BootNames.WEB_MVC)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, FilterRegistrationBean.class})
@ConditionalOnBean(EntryGuards.class)
public final class BloomguardWebAutoConfiguration {

  /** The name of the bean that applies the rules. */
  static final String FILTER = "bloomGuardFilter";

  BloomguardWebAutoConfiguration() {}

  @Bean
  GuardExceptionHandler bloomguardExceptionHandler() {
    return new GuardExceptionHandler();
  }

  /** Not where the application wants a log line for each exception that is resolved. */
  @Bean
  @ConditionalOnBooleanProperty(
      name = "spring.mvc.log-resolved-exception",
      havingValue = false,
      matchIfMissing = true)
  RejectionResolver bloomguardRejectionResolver(ApplicationContext context) {
    return new RejectionResolver(context);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty("bloomguard.web.rules[0].pattern")
  static class RulesConfiguration {

    @Bean(FILTER)
    @ConditionalOnMissingBean(name = FILTER)
    FilterRegistrationBean<BloomGuardFilter> bloomGuardFilter(
        BloomguardProperties properties,
        EntryGuards guards,
        @Qualifier("mvcPatternParser") PathPatternParser parser,
        @Qualifier("mvcConversionService") ConversionService conversion) {
      FilterRegistrationBean<BloomGuardFilter> registration =
          new FilterRegistrationBean<>(
              new BloomGuardFilter(properties.web().rules(), guards, parser, conversion));
      // The last of all: every other filter that refuses a request or rewrites its path comes
      // first.
      registration.setMatchAfter(true);
      registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
      return registration;
    }

    /**
     * Takes the types of keys from the handlers, once these are known. Refuses handlers that match
     * their paths in another way than the rules do: a path such as {@code //api/products/9} would
     * reach them unjudged.
     */
    @Bean
    @Lazy(false) // whatever the application's other beans are
    SmartInitializingSingleton bloomguardPathMatching(
        ApplicationContext context,
        ObjectProvider<RequestMappingHandlerMapping> mappings,
        ObjectProvider<FilterRegistrationBean<?>> filters,
        @Qualifier("mvcPatternParser") PathPatternParser parser) {
      return () -> {
        if (mappings.stream().anyMatch(mapping -> !mapping.usesPathPatterns())) {
          throw new StartRefusedException(
              "bloomguard.web.rules are set, but Spring MVC matches paths with an"
                  + " AntPathMatcher, which takes paths that the rules do not recognise",
              "Remove spring.mvc.pathmatch.matching-strategy (path_pattern_parser is the"
                  + " default) and any PathMatchConfigurer#setPathMatcher, or the rules.");
        }
        ParsedPaths.requireAlike(
            parser,
            mappings.stream().map(RequestMappingHandlerMapping::getPatternParser),
            "PathMatchConfigurer#setPatternParser");
        filters.stream()
            .map(FilterRegistrationBean::getFilter)
            .filter(BloomGuardFilter.class::isInstance)
            .map(BloomGuardFilter.class::cast)
            .forEach(filter -> filter.prepare(context));
      };
    }
  }
}
