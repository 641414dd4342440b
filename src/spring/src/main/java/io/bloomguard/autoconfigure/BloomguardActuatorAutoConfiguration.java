package io.bloomguard.autoconfigure;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.actuate.BloomFiltersWebExtension;
import io.bloomguard.actuate.BloomMeters;
import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The operator's endpoint, meters and health, each where its library is present. */
@AutoConfiguration(after = BloomguardAutoConfiguration.class)
@ConditionalOnBean(GuardRegistry.class)
@Import(HealthConfiguration.class)
public final class BloomguardActuatorAutoConfiguration {

  BloomguardActuatorAutoConfiguration() {}

  @Bean
  OperatedFilters bloomguardOperatedFilters(ConfiguredFilters filters, GuardRegistry guards) {
    return new OperatedFilters(
        filters.all().stream()
            .map(
                filter ->
                    new OperatedFilter(
                        filter.managed(), filter.guarded(), () -> guards.cache(filter.name())))
            .toList());
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  @ConditionalOnAvailableEndpoint(BloomFiltersEndpoint.class)
  static class EndpointConfiguration {

    @Bean
    @ConditionalOnMissingBean
    BloomFiltersEndpoint bloomFiltersEndpoint(OperatedFilters filters) {
      return new BloomFiltersEndpoint(filters);
    }

    @Bean
    @ConditionalOnMissingBean
    BloomFiltersWebExtension bloomFiltersWebExtension(BloomFiltersEndpoint endpoint) {
      return new BloomFiltersWebExtension(endpoint);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  @ConditionalOnBean(MeterRegistry.class)
  static class MetersConfiguration {

    @Bean
    @ConditionalOnMissingBean
    BloomMeters bloomguardMeters(OperatedFilters filters) {
      return new BloomMeters(filters);
    }
  }
}
