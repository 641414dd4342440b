package io.bloomguard.changes.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application that excludes the auto-configuration of the guards. */
class ChangesWithoutGuardsTest {

  @Test
  void itStartsAsWithoutTheModule() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(BloomguardChangesAutoConfiguration.class))
        .run(context -> assertThat(context).hasNotFailed());
  }
}
