package io.bloomguard.it.workshop;

import io.bloomguard.it.support.SharedRedis;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The suite with filters, values and leases in Redis. */
class RedisGuardedTest extends GuardedSuite {

  @DynamicPropertySource
  static void redis(DynamicPropertyRegistry registry) {
    SharedRedis.register(registry);
  }
}
