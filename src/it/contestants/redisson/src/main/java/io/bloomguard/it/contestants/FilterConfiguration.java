package io.bloomguard.it.contestants;

import java.util.List;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The filter, which holds every id of the table before the shop serves. */
@Configuration(proxyBeanMethods = false)
class FilterConfiguration {

  private static final int BATCH = 1_000;

  /** As a number and as text. */
  private static final String BEFORE_ALL = "0";

  @Bean(destroyMethod = "shutdown")
  RedissonClient redisson(
      @Value("redis://${spring.data.redis.host}:${spring.data.redis.port}") String address) {
    Config config = new Config();
    config.useSingleServer().setAddress(address);
    return Redisson.create(config);
  }

  @Bean
  RBloomFilter<String> ids(
      RedissonClient redisson, JdbcClient jdbc, @Value("${shop.expected-insertions}") long size) {
    RBloomFilter<String> filter = redisson.getBloomFilter("product-ids", StringCodec.INSTANCE);
    filter.tryInit(size, 0.001);
    // Page by page: all ids at once may not fit into the heap.
    List<String> ids = idsAfter(BEFORE_ALL, jdbc);
    while (!ids.isEmpty()) {
      filter.add(ids);
      ids = idsAfter(ids.get(ids.size() - 1), jdbc);
    }
    return filter;
  }

  private static List<String> idsAfter(String id, JdbcClient jdbc) {
    return jdbc.sql("select id from products where id > ? order by id limit ?")
        .params(id, BATCH)
        .query(String.class)
        .list();
  }
}
