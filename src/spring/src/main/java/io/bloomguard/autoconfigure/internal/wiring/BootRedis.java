package io.bloomguard.autoconfigure.internal.wiring;

import io.lettuce.core.resource.ClientResources;
import java.util.List;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/** What Spring Boot makes a Lettuce connection factory with, and what an application adds to it. */
final class BootRedis {

  static final Class<?> AUTO_CONFIGURATION = DataRedisAutoConfiguration.class;

  /** The beans of an application that have a say in its connections. */
  static final List<Class<?>> SHARED =
      List.of(
          DataRedisConnectionDetails.class,
          RedisStandaloneConfiguration.class,
          RedisSentinelConfiguration.class,
          RedisClusterConfiguration.class,
          RedisStaticMasterReplicaConfiguration.class,
          ClientResources.class,
          ClientResourcesBuilderCustomizer.class,
          LettuceClientConfigurationBuilderCustomizer.class,
          LettuceClientOptionsBuilderCustomizer.class);

  private BootRedis() {}
}
