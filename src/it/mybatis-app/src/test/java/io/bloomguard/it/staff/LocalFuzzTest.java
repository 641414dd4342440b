package io.bloomguard.it.staff;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** With filters in this process. */
class LocalFuzzTest extends WriteFuzz {

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    RealMariaDb.register(registry);
  }
}
