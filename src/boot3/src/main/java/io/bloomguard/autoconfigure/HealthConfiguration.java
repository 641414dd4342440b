package io.bloomguard.autoconfigure;

import io.bloomguard.actuate.BloomguardHealthIndicator;
import io.bloomguard.actuate.StoreServers;
import io.bloomguard.actuate.internal.OperatedFilters;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The health of the filters, or of the library that is switched off, where Spring Boot's health is
 * present.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
class HealthConfiguration {

  @Bean
  @ConditionalOnEnabledHealthIndicator("bloomguard")
  @ConditionalOnMissingBean(name = {"bloomguardHealthIndicator", "bloomguardHealthContributor"})
  BloomguardHealthIndicator bloomguardHealthIndicator(
      ObjectProvider<OperatedFilters> filters, ObjectProvider<StoreServers> servers) {
    return new BloomguardHealthIndicator(
        filters.getIfAvailable(), servers.getIfAvailable(() -> List::of));
  }
}
