package io.bloomguard.autoconfigure;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.decision.Unguarded;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The beans of an application with {@code bloomguard.enabled} false: guards that let everything
 * pass, so that it starts and runs as if there were none.
 *
 * <p>After whatever asks whether there are guards.
 */
@AutoConfiguration(
    after = {BloomguardAutoConfiguration.class, BloomguardWebAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "bloomguard.enabled", havingValue = false)
public final class BloomguardOffAutoConfiguration {

  BloomguardOffAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(BloomGuards.class)
  Unguarded bloomGuards(Environment environment) {
    if (environment.getProperty("bloomguard.enabled", boolean.class, true)) {
      throw AheadOfTime.changed("bloomguard.enabled is true", "was");
    }
    return new Unguarded();
  }
}
