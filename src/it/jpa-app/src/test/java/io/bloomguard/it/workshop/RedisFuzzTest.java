package io.bloomguard.it.workshop;

import io.bloomguard.it.support.SharedRedis;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** With filters, values and leases in Redis. */
class RedisFuzzTest extends WriteFuzz {

  @DynamicPropertySource
  static void redis(DynamicPropertyRegistry registry) {
    SharedRedis.register(registry);
  }
}
