package io.bloomguard.console.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** An application that excludes the auto-configuration of the guards. */
class ConsoleWithoutGuardsTest {

  @Test
  void itStartsAsWithoutTheModule() {
    new WebApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(BloomguardConsoleAutoConfiguration.class))
        .withPropertyValues("bloomguard.console.enabled=true")
        .run(context -> assertThat(context).hasNotFailed());
  }
}
