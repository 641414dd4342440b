package io.bloomguard.it.contestants;

import java.util.List;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.LongCodec;
import org.redisson.config.Config;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The filter, which holds every id of the table before the shop serves. */
@Configuration(proxyBeanMethods = false)
class FilterConfiguration {

  private static final int BATCH = 1_000;

  @Bean(destroyMethod = "shutdown")
  RedissonClient redisson(
      @Value("redis://${spring.data.redis.host}:${spring.data.redis.port}") String address) {
    Config config = new Config();
    config.useSingleServer().setAddress(address);
    return Redisson.create(config);
  }

  @Bean
  RBloomFilter<Long> ids(RedissonClient redisson, JdbcClient jdbc) {
    RBloomFilter<Long> filter = redisson.getBloomFilter("product-ids", LongCodec.INSTANCE);
    filter.tryInit(200_000, 0.001);
    List<Long> ids = jdbc.sql("select id from products").query(Long.class).list();
    for (int from = 0; from < ids.size(); from += BATCH) {
      filter.add(ids.subList(from, Math.min(from + BATCH, ids.size())));
    }
    return filter;
  }
}
