package io.bloomguard.it.staff;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The suite with filters in this process. */
class LocalGuardedTest extends GuardedSuite {

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    RealMariaDb.register(registry);
  }
}
