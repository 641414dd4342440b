package io.bloomguard.classic.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application that excludes the auto-configuration of the guards. */
class ClassicWithoutGuardsTest {

  @Test
  void itStartsAsWithoutTheModule() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(BloomguardClassicAutoConfiguration.class))
        .run(context -> assertThat(context).hasNotFailed());
  }
}
