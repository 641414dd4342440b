package io.bloomguard.it.workshop;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The suite with filters, values and leases in Redis. */
class RedisGuardedTest extends GuardedSuite {

  @DynamicPropertySource
  static void redis(DynamicPropertyRegistry registry) {
    RealRedis.register(registry);
  }
}
