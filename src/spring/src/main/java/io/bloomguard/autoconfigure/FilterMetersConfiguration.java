package io.bloomguard.autoconfigure;

import io.bloomguard.actuate.BloomObservations;
import io.bloomguard.actuate.BloomTimers;
import io.bloomguard.actuate.LoadObservationConvention;
import io.bloomguard.actuate.RebuildObservationConvention;
import io.bloomguard.autoconfigure.internal.wiring.FilterListeners;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.guard.internal.GuardListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Timers of loads, waits and builds, and observations, where there is a meter registry. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
class FilterMetersConfiguration {

  @Bean
  FilterListeners bloomguardFilterListeners(
      MeterRegistry registry,
      ObjectProvider<ObservationRegistry> observed,
      ObjectProvider<LoadObservationConvention> loads,
      ObjectProvider<RebuildObservationConvention> rebuilds) {
    BloomTimers timers = new BloomTimers(registry);
    BloomObservations observations =
        new BloomObservations(
            observed.getIfAvailable(() -> ObservationRegistry.NOOP),
            loads.getIfAvailable(),
            rebuilds.getIfAvailable());
    return new FilterListeners() {
      @Override
      public GuardListener guardListener(String filter) {
        return observations.around(filter, timers.guardListener(filter));
      }

      @Override
      public RebuildListener rebuildListener(String filter) {
        return observations.around(filter, timers.rebuildListener(filter));
      }
    };
  }

  /**
   * Before Boot's own, which would time the observations once more, and with other tags. Not of the
   * type {@code MeterObservationHandler}, a bean of which takes the place of Boot's in Boot 3.
   */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  ObservationHandler<?> bloomguardUnmeteredObservations() {
    return BloomObservations.unmetered();
  }
}
