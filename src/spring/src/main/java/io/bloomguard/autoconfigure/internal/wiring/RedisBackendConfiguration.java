package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.actuate.StoreServers;
import io.bloomguard.actuate.StoreServers.Server;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.lettuce.core.RedisClient;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The Redis backend, where there is a connection factory, the Lettuce driver and Jackson. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(
    value = {RedisConnectionFactory.class, RedisClient.class},
    name = BootNames.JSON_MAPPER)
@ConditionalOnBean(RedisConnectionFactory.class)
public class RedisBackendConfiguration {

  private static final String BACKEND = "bloomguardRedisBackend";

  @Bean(BACKEND)
  RedisBackend bloomguardRedisBackend(
      BloomguardProperties properties,
      OwnSettings filters,
      ConfigurableListableBeanFactory beans,
      ConfigurableEnvironment environment) {
    return new RedisBackend(
        new RedisConnectionChoice(
            properties.redis().connectionFactoryOrNull(), beans, environment, BACKEND),
        properties,
        filters);
  }

  @Bean
  @ConditionalOnMissingBean
  StoreServers bloomguardRedisServers(RedisBackend redis) {
    return () ->
        redis.versions().stream()
            .map(server -> new Server(server.name(), server.version(), server.certified()))
            .toList();
  }
}
