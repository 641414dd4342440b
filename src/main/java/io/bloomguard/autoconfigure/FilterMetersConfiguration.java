package io.bloomguard.autoconfigure;

import io.bloomguard.actuate.BloomTimers;
import io.bloomguard.generation.RebuildListener;
import io.bloomguard.guard.GuardListener;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Timers of loads, waits and builds, where there is a meter registry. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
class FilterMetersConfiguration {

  @Bean
  FilterListeners bloomguardFilterListeners(MeterRegistry registry) {
    BloomTimers timers = new BloomTimers(registry);
    return new FilterListeners() {
      @Override
      public GuardListener guardListener(String filter) {
        return timers.guardListener(filter);
      }

      @Override
      public RebuildListener rebuildListener(String filter) {
        return timers.rebuildListener(filter);
      }
    };
  }
}
