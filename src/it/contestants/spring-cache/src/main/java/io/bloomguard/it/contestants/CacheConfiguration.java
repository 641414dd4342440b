package io.bloomguard.it.contestants;

import java.time.Duration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.support.NullValue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;

/** Values for ten minutes, nulls for 30 seconds. */
@Configuration(proxyBeanMethods = false)
@EnableCaching
class CacheConfiguration {

  @Bean
  RedisCacheConfiguration redisCacheConfiguration() {
    return RedisCacheConfiguration.defaultCacheConfig()
        .entryTtl(
            (key, value) ->
                value == null || value instanceof NullValue
                    ? Duration.ofSeconds(30)
                    : Duration.ofMinutes(10));
  }
}
