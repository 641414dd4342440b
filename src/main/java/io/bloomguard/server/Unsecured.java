package io.bloomguard.server;

import io.bloomguard.autoconfigure.BloomguardManagementFilterConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/**
 * What a server without the profile {@code secured} still refuses: writes from other machines,
 * unless {@code bloomguard.server.open-writes} allows them. It holds for a management port of its
 * own as well.
 */
@Configuration(proxyBeanMethods = false)
@Profile("!" + Secured.PROFILE)
class Unsecured {

  @Bean(BloomguardManagementFilterConfiguration.FILTER)
  @ConditionalOnBooleanProperty(
      name = "bloomguard.server.open-writes",
      havingValue = false,
      matchIfMissing = true)
  FilterRegistrationBean<LocalWrites> localWrites(DispatcherServletPath servlet) {
    PathPatternRequestMatcher.Builder paths = PathPatternRequestMatcher.withDefaults();
    String prefix = servlet.getPrefix();
    FilterRegistrationBean<LocalWrites> registration =
        new FilterRegistrationBean<>(
            new LocalWrites(prefix.isEmpty() ? paths : paths.basePath(prefix)));
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return registration;
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> connections() {
    return factory -> factory.addEngineValves(new LocalWrites.Connections());
  }
}
