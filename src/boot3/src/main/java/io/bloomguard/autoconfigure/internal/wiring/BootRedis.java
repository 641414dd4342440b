package io.bloomguard.autoconfigure.internal.wiring;

import io.lettuce.core.resource.ClientResources;
import java.util.List;
import org.springframework.boot.autoconfigure.data.redis.ClientResourcesBuilderCustomizer;
import org.springframework.boot.autoconfigure.data.redis.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.autoconfigure.data.redis.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** What Spring Boot makes a Lettuce connection factory with, and what an application adds to it. */
final class BootRedis {

  static final Class<?> AUTO_CONFIGURATION = RedisAutoConfiguration.class;

  /** The beans of an application that have a say in its connections. */
  static final List<Class<?>> SHARED =
      List.of(
          RedisConnectionDetails.class,
          RedisStandaloneConfiguration.class,
          RedisSentinelConfiguration.class,
          RedisClusterConfiguration.class,
          ClientResources.class,
          ClientResourcesBuilderCustomizer.class,
          LettuceClientConfigurationBuilderCustomizer.class,
          LettuceClientOptionsBuilderCustomizer.class);

  private BootRedis() {}
}
