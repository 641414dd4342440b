package io.bloomguard.autoconfigure;

import io.lettuce.core.RedisClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/** The Redis backend, where there is a connection factory, the Lettuce driver and Jackson. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisConnectionFactory.class, RedisClient.class, JsonMapper.class})
@ConditionalOnBean(RedisConnectionFactory.class)
class RedisBackendConfiguration {

  @Bean
  RedisBackend bloomguardRedisBackend(
      BloomguardProperties properties, ObjectProvider<RedisConnectionFactory> factories) {
    return new RedisBackend(factories::getObject, properties.redis(), properties.secret());
  }
}
