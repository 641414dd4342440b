package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The backends of the classic systems. */
@AutoConfiguration(after = BloomguardAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "bloomguard.enabled", matchIfMissing = true)
public final class BloomguardClassicAutoConfiguration {

  BloomguardClassicAutoConfiguration() {}

  @Bean
  GuavaBackend bloomguardGuavaBackend() {
    return new GuavaBackend();
  }

  /** Those in Redis, where the starter's own backend there is. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBean(ApplicationRedis.class)
  static class RedisConfiguration {

    @Bean
    SubjectBackend bloomguardSubjectBackend(ApplicationRedis redis) {
      return new SubjectBackend(redis);
    }

    @Bean
    WindowBackend bloomguardWindowBackend(ApplicationRedis redis) {
      return new WindowBackend(redis);
    }

    @Bean
    BloomBackend bloomguardRedisBloomBackend(ApplicationRedis redis) {
      return new BloomBackend(redis);
    }

    @Bean
    BitmapBackend bloomguardRedisBitmapBackend(ApplicationRedis redis) {
      return new BitmapBackend(redis);
    }
  }
}
