package io.bloomguard.server;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.GatewayProperties;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.PathRules;
import java.util.List;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConversionService;

/** The endpoint that decides for proxies, on a server that has rules for them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("bloomguard.gateway.rules[0].pattern")
class GatewayConfiguration {

  /** The characters that browsers and programs leave as they are although no URI has them. */
  private static final String UNWISE = "\"<>[\\]^`{|}";

  /** Behind the login, before Spring MVC. */
  @Bean(BloomguardAutoConfiguration.GATEWAY)
  FilterRegistrationBean<AuthoriseWebFilter> bloomguardGateway(
      ObjectProvider<BloomguardProperties> properties,
      EntryGuards guards,
      @Qualifier("mvcConversionService") ConversionService conversion) {
    BloomguardProperties enabled = properties.getIfAvailable();
    GatewayProperties gateway =
        enabled == null ? new GatewayProperties(List.of(), null, List.of()) : enabled.gateway();
    FilterRegistrationBean<AuthoriseWebFilter> registration =
        new FilterRegistrationBean<>(
            new AuthoriseWebFilter(
                new PathRules(gateway.rules(), guards, conversion),
                new TrustedPeers(gateway.trustedPeers()),
                gateway.deniedStatus()));
    registration.setOrder(Ordered.LOWEST_PRECEDENCE);
    return registration;
  }

  /** Connections show their own address, and paths that Tomcat would refuse can be judged. */
  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> questionsOfProxies() {
    return factory -> {
      factory.addEngineValves(new LocalWrites.Connections());
      factory.addConnectorCustomizers(
          connector -> {
            String passed = EncodedSolidusHandling.PASS_THROUGH.getValue();
            connector.setEncodedSolidusHandling(passed);
            connector.setEncodedReverseSolidusHandling(passed);
            // In paths and queries that a proxy sends as they came.
            connector.setProperty("relaxedPathChars", UNWISE);
            connector.setProperty("relaxedQueryChars", UNWISE);
          });
    };
  }
}
