package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Settings of a module that the application lacks. */
class MissingModuleTest {

  private static final String CLICKS = "bloomguard.filters.clicks.";

  private final WebApplicationContextRunner starterAlone =
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  BloomguardAutoConfiguration.class, DataRedisAutoConfiguration.class))
          .withClassLoader(
              new FilteredClassLoader("io.bloomguard.classic", "io.bloomguard.console"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "window             |"
            + " backend=redis,window.length=5m,window.count=3,rebuild.journal-retention=1m",
        "per-subject        | backend=redis,per-subject.ttl=1d",
        "layout: guava         | layout=guava",
        "backend: redis-bloom  | backend=redis-bloom,bloom.key=clicks",
        "backend: redis-bitmap | backend=redis-bitmap,bitmap.key=clicks,bitmap.hashes=bkdr",
      })
  void aKindOfFilterNamesIt(String setting, String properties) {
    FailureAnalysis failure =
        Wiring.failure(
            starterAlone.withPropertyValues(
                (CLICKS + properties.replace(",", "," + CLICKS)).split(",")));
    assertThat(failure.getDescription())
        .isEqualTo("Filter 'clicks' has " + CLICKS + setting + ", which bloomguard-classic brings");
    assertThat(failure.getAction())
        .isEqualTo("Add the dependency io.bloomguard:bloomguard-classic.");
  }

  @Test
  void theConsoleNamesIt() {
    FailureAnalysis failure =
        Wiring.failure(starterAlone.withPropertyValues("bloomguard.console.enabled=true"));
    assertThat(failure.getDescription())
        .isEqualTo("bloomguard.console.enabled is true, which bloomguard-console brings");
    assertThat(failure.getAction())
        .isEqualTo("Add the dependency io.bloomguard:bloomguard-console, or remove the setting.");
  }
}
