package io.bloomguard.console.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.console.internal.Console;
import io.bloomguard.test.AutoConfigureBloomguard;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** A test of an application with the console, where no request can come. */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "bloomguard.backend=redis",
      "bloomguard.console.enabled=true",
      "bloomguard.filters.items.expected-insertions=1000"
    })
@AutoConfigureBloomguard
class ConsoleInTestsTest {

  @Autowired private ObjectProvider<Console> console;

  @Test
  void itRests() {
    assertThat(console.getIfAvailable()).isNull();
  }

  @SpringBootConfiguration
  static class Application {}
}
