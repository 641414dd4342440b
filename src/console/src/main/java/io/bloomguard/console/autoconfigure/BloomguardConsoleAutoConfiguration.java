package io.bloomguard.console.autoconfigure;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.wiring.AheadOfTime;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.console.ConsolePanel;
import io.bloomguard.console.internal.Console;
import io.bloomguard.console.internal.ConsoleData;
import io.bloomguard.console.internal.ConsolePage;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * The console, in a servlet application that asks for it.
 *
 * <p>Its page is served from the port that has the endpoint: the management port where there is one
 * of its own ({@link BloomguardConsoleManagementConfiguration}), else the application's.
 */
@AutoConfiguration(after = BloomguardAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty("bloomguard.console.enabled")
@ConditionalOnBooleanProperty(name = "bloomguard.enabled", matchIfMissing = true)
@ConditionalOnBean(BloomguardProperties.class)
public final class BloomguardConsoleAutoConfiguration {

  private static final Logger log =
      LoggerFactory.getLogger(BloomguardConsoleAutoConfiguration.class);

  BloomguardConsoleAutoConfiguration() {}

  @Bean
  ConsoleWatch bloomguardConsoleWatch() {
    return new ConsoleWatch(InstantSource.system());
  }

  @Bean(BloomguardAutoConfiguration.CONSOLE)
  Console bloomguardConsole(
      BloomguardProperties properties,
      ConfiguredFilters filters,
      ConsoleWatch watch,
      ObjectProvider<ExposedEndpoint> endpoint,
      ObjectProvider<ConsolePanel> panels) {
    if (!properties.console().enabled()) {
      throw AheadOfTime.changed("bloomguard.console.enabled is false", "was");
    }
    ExposedEndpoint exposed = endpoint.getIfAvailable();
    if (exposed == null) {
      log.warn(
          "bloomguard.console.enabled is true, but the console cannot show or rebuild filters:"
              + " the endpoint it asks is not exposed. Put spring-boot-starter-actuator on the"
              + " class path and add bloomfilters to management.endpoints.web.exposure.include");
    }
    return new Console(
        filters.all().stream().map(watch::watched).toList(),
        exposed == null ? null : exposed.path(),
        panels.orderedStream().toList(),
        InstantSource.system());
  }

  /**
   * The endpoint {@code bloomfilters} where HTTP reaches it.
   *
   * @param path relative to the page
   */
  record ExposedEndpoint(String path) {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  @ConditionalOnAvailableEndpoint(
      endpoint = BloomFiltersEndpoint.class,
      exposure = EndpointExposure.WEB)
  static class EndpointConfiguration {

    /** The page lies one level below whatever it and the endpoint have in common. */
    @Bean
    ExposedEndpoint bloomguardConsoleEndpoint(Environment environment) {
      String base = environment.getProperty("management.endpoints.web.base-path", "/actuator");
      String id =
          environment.getProperty(
              "management.endpoints.web.path-mapping.bloomfilters", "bloomfilters");
      return new ExposedEndpoint(".." + (base.equals("/") ? "" : base) + "/" + id);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Conditional(OnMainPort.class)
  static class MainPortConfiguration {

    @Bean
    ConsolePage bloomguardConsolePage(Console console) {
      return new ConsolePage(console);
    }

    @Bean
    ConsoleData bloomguardConsoleData(Console console) {
      return new ConsoleData(console);
    }
  }

  /** Matches unless there is a management port of its own. */
  static final class OnMainPort extends SpringBootCondition {

    private static final String PORT_TYPE =
        "org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType";

    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      ConditionMessage.Builder message = ConditionMessage.forCondition("Bloomguard's console");
      return ClassUtils.isPresent(PORT_TYPE, context.getClassLoader()) && Apart.in(context)
          ? ConditionOutcome.noMatch(message.because("there is a management port of its own"))
          : ConditionOutcome.match(message.because("there is no management port of its own"));
    }
  }

  /** Apart from its caller, which does without Actuator. */
  private static final class Apart {

    static boolean in(ConditionContext context) {
      return ManagementPortType.get(context.getEnvironment()) == ManagementPortType.DIFFERENT;
    }
  }
}
