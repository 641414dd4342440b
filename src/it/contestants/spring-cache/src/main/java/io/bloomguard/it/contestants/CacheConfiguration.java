package io.bloomguard.it.contestants;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.support.NullValue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;

/** Values for ten minutes, nulls for 30 seconds unless the attack says otherwise. */
@Configuration(proxyBeanMethods = false)
@EnableCaching
class CacheConfiguration {

  @Bean
  RedisCacheConfiguration redisCacheConfiguration(@Value("${shop.null-ttl:30s}") Duration nullTtl) {
    return RedisCacheConfiguration.defaultCacheConfig()
        .entryTtl(
            (key, value) ->
                value == null || value instanceof NullValue ? nullTtl : Duration.ofMinutes(10));
  }
}
