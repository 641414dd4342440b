package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.wiring.AheadOfTime;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.decision.Unguarded;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * The beans of an application with {@code bloomguard.enabled} false: guards that let everything
 * pass, so that it starts and runs as if there were none, and the health that groups may name.
 *
 * <p>After whatever asks whether there are guards.
 */
@AutoConfiguration(
    after = {
      BloomguardAutoConfiguration.class,
      BloomguardWebAutoConfiguration.class,
      BloomguardWebFluxAutoConfiguration.class
    })
@ConditionalOnBooleanProperty(name = "bloomguard.enabled", havingValue = false)
@Import(HealthConfiguration.class)
public final class BloomguardOffAutoConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(BloomguardOffAutoConfiguration.class);

  BloomguardOffAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(BloomGuards.class)
  BloomGuards bloomGuards(EntryGuards guards) {
    return guards.forApplication();
  }

  @Bean
  Unguarded bloomguardEntries(Environment environment) {
    if (environment.getProperty("bloomguard.enabled", boolean.class, true)) {
      throw AheadOfTime.changed("bloomguard.enabled is true", "was");
    }
    LOG.info(
        "bloomguard.enabled is false: annotations and path rules have no effect, and every guard"
            + " lets its key pass");
    return new Unguarded();
  }
}
