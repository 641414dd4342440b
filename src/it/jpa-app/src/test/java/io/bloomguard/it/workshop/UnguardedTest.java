package io.bloomguard.it.workshop;

import org.springframework.boot.test.context.SpringBootTest;

/** The suite as it was before the guard. */
@SpringBootTest(properties = "bloomguard.enabled=false")
class UnguardedTest extends WorkshopSuite {}
