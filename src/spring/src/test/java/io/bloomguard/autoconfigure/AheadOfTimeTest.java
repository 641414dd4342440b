package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Properties that are others than when the beans were chosen, as after processing ahead of time.
 */
public class AheadOfTimeTest {

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  BloomguardAutoConfiguration.class, BloomguardOffAutoConfiguration.class));

  @ParameterizedTest
  @CsvSource({"true,false", "false,true"})
  void aGuardIsNeitherTurnedOffNorOn(String then, String now) {
    application
        .withPropertyValues("bloomguard.enabled=" + then, "later=bloomguard.enabled=" + now)
        .withUserConfiguration(Later.class)
        .run(
            context ->
                assertThat(context)
                    .hasFailed()
                    .getFailure()
                    .hasStackTraceContaining(
                        "bloomguard.enabled is "
                            + now
                            + ", but was not when this application was processed ahead of time"));
  }

  @Test
  void rulesThatAreTurnedOnAreNotBlamedOnTheClassPath() {
    assertRefusedAheadOfTime(
        application,
        "bloomguard.web.rules[0].pattern=/a/{id};bloomguard.web.rules[0].filter=a"
            + ";bloomguard.web.rules[0].key=id",
        "bloomguard.web.rules are set, but were not when");
  }

  /** An application processed ahead of time, which gets properties later, does not start. */
  public static void assertRefusedAheadOfTime(
      ApplicationContextRunner application, String later, String message) {
    SpringProperties.setFlag("spring.aot.enabled");
    try {
      application
          .withPropertyValues("later=" + later)
          .withUserConfiguration(Later.class)
          .run(
              context ->
                  assertThat(context).hasFailed().getFailure().hasStackTraceContaining(message));
    } finally {
      SpringProperties.setProperty("spring.aot.enabled", null);
    }
  }

  /** Sets properties that the conditions have not seen. */
  @Configuration(proxyBeanMethods = false)
  public static class Later {

    /**
     * Sets the properties of {@code later}, apart by semicolons, once the conditions have been
     * evaluated.
     */
    @Bean
    static BeanFactoryPostProcessor later(ConfigurableApplicationContext context) {
      return beans -> {
        ConfigurableEnvironment environment = context.getEnvironment();
        Map<String, Object> later =
            Stream.of(environment.getRequiredProperty("later").split(";"))
                .map(property -> property.split("="))
                .collect(Collectors.toMap(property -> property[0], property -> property[1]));
        environment.getPropertySources().addFirst(new MapPropertySource("later", later));
      };
    }
  }
}
