package io.bloomguard.it.attacks.node;

import io.bloomguard.generation.KeySource;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** One of several processes that share a Redis: with our guard, and with Spring's cache. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
@EnableCaching
public class NodeApplication {

  /** Starts a node whose filter {@code things} is filled from {@code keys}. */
  public static ConfigurableApplicationContext start(KeySource keys, List<String> arguments) {
    return new SpringApplicationBuilder(NodeApplication.class)
        .web(WebApplicationType.NONE)
        .initializers(starting -> starting.getBeanFactory().registerSingleton("thingKeys", keys))
        .properties(
            "bloomguard.backend=redis",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "bloomguard.filters.things.source.bean=thingKeys",
            "bloomguard.filters.things.expected-insertions=" + Node.THINGS)
        .run(arguments.toArray(String[]::new));
  }

  /** As Spring Data Redis makes it, and with the lock that it has to be asked for. */
  @Bean
  @Primary
  RedisCacheManager cacheManager(RedisConnectionFactory redis) {
    return RedisCacheManager.create(redis);
  }

  @Bean
  RedisCacheManager lockingCacheManager(RedisConnectionFactory redis) {
    return RedisCacheManager.builder(RedisCacheWriter.lockingRedisCacheWriter(redis))
        .cacheDefaults(RedisCacheConfiguration.defaultCacheConfig())
        .build();
  }

  @Bean
  CachedThings cachedThings() {
    return new CachedThings();
  }
}
