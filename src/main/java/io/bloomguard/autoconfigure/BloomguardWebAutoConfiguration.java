package io.bloomguard.autoconfigure;

import io.bloomguard.aop.GuardedMethods;
import io.bloomguard.aop.ThrowingLookup;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.web.BloomGuardFilter;
import io.bloomguard.web.GuardExceptionHandler;
import io.bloomguard.web.HandlerGuardFilter;
import io.bloomguard.web.HandlerLookup;
import io.bloomguard.web.RejectionResolver;
import io.bloomguard.web.WebRule;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import java.util.EnumSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
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
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/** Keys in request paths, and answers for what the guard refuses, in a servlet application. */
@AutoConfiguration(after = BloomguardAutoConfiguration.class, afterName = BootNames.WEB_MVC)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, FilterRegistrationBean.class})
@ConditionalOnBean(BloomGuards.class)
public final class BloomguardWebAutoConfiguration {

  /** After Spring Security's filter chain: who may not ask learns nothing. */
  private static final int ORDER = 0;

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

  /** Decides for guarded handler methods, after all other filters of the application. */
  @Configuration(proxyBeanMethods = false)
  static class HandlersConfiguration {

    static final String FILTER = "bloomGuardHandlerFilter";

    /** The bean of Spring MVC that finds annotated handlers. */
    private static final String MAPPING = "requestMappingHandlerMapping";

    @Bean
    static HandlerGuardFilterRegistration bloomguardHandlers(
        ConfigurableApplicationContext context,
        ObjectProvider<GuardedMethods> methods,
        ObjectProvider<BloomGuards> guards,
        ObjectProvider<RejectionResolver> resolver,
        ObjectProvider<DispatcherServlet> dispatcher) {
      return new HandlerGuardFilterRegistration(
          new HandlerGuardFilter(
              context,
              handler -> lookup(methods.getIfAvailable(), handler),
              guards::getIfAvailable,
              resolver::getIfAvailable,
              dispatcher::getIfUnique),
          () -> context.getBeanFactory().containsSingleton(MAPPING));
    }

    private static @Nullable HandlerLookup lookup(
        @Nullable GuardedMethods methods, HandlerMethod handler)
        throws HandlerLookup.NotDecidedException {
      try {
        ThrowingLookup found =
            methods == null
                ? null
                : methods.throwingLookup(
                    handler.getMethod(),
                    handler.getBeanType(),
                    () -> handler.createWithResolvedBean().getBean());
        return found == null
            ? null
            : new HandlerLookup(found.filter(), found.parameter(), found.caller());
      } catch (ThrowingLookup.NoneException e) {
        throw new HandlerLookup.NotDecidedException(e.getMessage());
      }
    }
  }

  /**
   * The registration of the filter for handler methods. It is none of Spring Boot's, so that it can
   * come after all of them: a filter without an order has the lowest precedence there.
   */
  static final class HandlerGuardFilterRegistration
      implements ServletContextInitializer, SmartInitializingSingleton {

    private final HandlerGuardFilter filter;
    private final BooleanSupplier hasHandlers;

    /**
     * @param hasHandlers whether the handlers are there already; lazy ones come with the first
     *     request
     */
    HandlerGuardFilterRegistration(HandlerGuardFilter filter, BooleanSupplier hasHandlers) {
      this.filter = filter;
      this.hasHandlers = hasHandlers;
    }

    HandlerGuardFilter filter() {
      return filter;
    }

    @Override
    public void onStartup(ServletContext servlets) {
      FilterRegistration.Dynamic registered =
          servlets.addFilter(HandlersConfiguration.FILTER, filter);
      if (registered != null) {
        registered.setAsyncSupported(true);
        registered.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
      }
    }

    @Override
    public void afterSingletonsInstantiated() {
      if (hasHandlers.getAsBoolean()) {
        filter.prepare();
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty("bloomguard.web.rules[0].pattern")
  static class RulesConfiguration {

    @Bean(FILTER)
    @ConditionalOnMissingBean(name = FILTER)
    FilterRegistrationBean<BloomGuardFilter> bloomGuardFilter(
        BloomguardProperties properties,
        BloomGuards guards,
        @Qualifier("mvcPatternParser") PathPatternParser parser,
        @Qualifier("mvcConversionService") ConversionService conversion) {
      List<WebRule> rules =
          properties.web().rules().stream()
              .map(
                  rule ->
                      new WebRule(
                          rule.pattern(),
                          rule.filter(),
                          rule.key(),
                          rule.type(),
                          rule.methods(),
                          rule.verify()))
              .toList();
      FilterRegistrationBean<BloomGuardFilter> registration =
          new FilterRegistrationBean<>(new BloomGuardFilter(rules, guards, parser, conversion));
      registration.setOrder(ORDER);
      registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
      return registration;
    }

    /**
     * Refuses handlers that match their paths in another way than the rules do: a path such as
     * {@code //api/products/9} would reach them unjudged.
     */
    @Bean
    SmartInitializingSingleton bloomguardPathMatching(
        ObjectProvider<RequestMappingHandlerMapping> mappings) {
      return () ->
          mappings.stream()
              .filter(mapping -> !mapping.usesPathPatterns())
              .findFirst()
              .ifPresent(
                  mapping -> {
                    throw new InvalidBloomguardSettingException(
                        "bloomguard.web.rules are set, but Spring MVC matches paths with an"
                            + " AntPathMatcher, which takes paths that the rules do not recognise",
                        "Remove spring.mvc.pathmatch.matching-strategy (path_pattern_parser is the"
                            + " default) and any PathMatchConfigurer#setPathMatcher, or the"
                            + " rules.");
                  });
    }
  }
}
