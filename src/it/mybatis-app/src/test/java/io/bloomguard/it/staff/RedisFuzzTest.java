package io.bloomguard.it.staff;

import io.bloomguard.it.support.SharedRedis;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** With filters, values and leases in Redis. */
class RedisFuzzTest extends WriteFuzz {

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    RealMariaDb.register(registry);
    SharedRedis.register(registry);
  }
}
