package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import io.bloomguard.autoconfigure.internal.wiring.OwnSettings;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The backends of the classic systems. */
@AutoConfiguration(after = BloomguardAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "bloomguard.enabled", matchIfMissing = true)
@ConditionalOnBean(BloomguardProperties.class)
public final class BloomguardClassicAutoConfiguration {

  BloomguardClassicAutoConfiguration() {}

  @Bean
  GuavaBackend bloomguardGuavaBackend(OwnSettings settings) {
    return new GuavaBackend(settings);
  }

  /** Those in Redis, where the starter's own backend there is. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBean(ApplicationRedis.class)
  static class RedisConfiguration {

    @Bean
    SubjectBackend bloomguardSubjectBackend(ApplicationRedis redis, OwnSettings settings) {
      return new SubjectBackend(redis, settings);
    }

    @Bean
    WindowBackend bloomguardWindowBackend(ApplicationRedis redis, OwnSettings settings) {
      return new WindowBackend(redis, settings);
    }

    @Bean
    BloomBackend bloomguardRedisBloomBackend(ApplicationRedis redis, OwnSettings settings) {
      return new BloomBackend(redis, settings);
    }

    @Bean
    BitmapBackend bloomguardRedisBitmapBackend(ApplicationRedis redis, OwnSettings settings) {
      return new BitmapBackend(redis, settings);
    }
  }
}
