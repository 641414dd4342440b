package io.bloomguard.server;

import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/**
 * The connections' addresses for {@link LocalWrites}, on a server without the profile {@code
 * secured}.
 */
@Configuration(proxyBeanMethods = false)
@Profile("!" + SecuredConfiguration.PROFILE)
class UnsecuredConfiguration {

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> connections() {
    return factory -> factory.addEngineValves(new LocalWrites.Connections());
  }
}
