package io.bloomguard.server;

import java.util.Locale;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.PropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Takes Redis out of the server's health where no filter and no cache uses it: the client is on the
 * class path in any case, and its indicator would be down without a Redis.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(RedisConfiguration.Unused.class)
@PropertySource("classpath:io/bloomguard/server/without-redis.properties")
class RedisConfiguration {

  /** Matches where neither the default backend nor any filter's names Redis. */
  static final class Unused implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      Environment environment = context.getEnvironment();
      if (isRedis(environment.getProperty("bloomguard.backend", ""))) {
        return false;
      }
      return Binder.get(environment)
          .bind("bloomguard.filters", Bindable.mapOf(String.class, FilterBackend.class))
          .orElse(Map.of())
          .values()
          .stream()
          .noneMatch(filter -> isRedis(filter.backend()));
    }

    private static boolean isRedis(String backend) {
      return backend.toLowerCase(Locale.ROOT).startsWith("redis");
    }
  }

  /** The one property of a filter that matters here. */
  record FilterBackend(@DefaultValue("") String backend) {}
}
