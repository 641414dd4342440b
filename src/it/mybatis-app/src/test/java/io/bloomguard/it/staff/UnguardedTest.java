package io.bloomguard.it.staff;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The suite as it was before the guard. */
@SpringBootTest(properties = "bloomguard.enabled=false")
class UnguardedTest extends StaffSuite {

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    RealMariaDb.register(registry);
  }
}
