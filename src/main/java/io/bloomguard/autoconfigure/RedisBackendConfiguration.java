package io.bloomguard.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The Redis backend, where there is a Lettuce connection factory. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({LettuceConnectionFactory.class, io.lettuce.core.RedisClient.class})
@ConditionalOnBean(LettuceConnectionFactory.class)
class RedisBackendConfiguration {}
