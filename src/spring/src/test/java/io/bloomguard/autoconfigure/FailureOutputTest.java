package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bloomguard.annotation.BloomGuarded;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a user reads in the terminal when an application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureOutputTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration(BloomguardAutoConfiguration.class)
  static class Application {

    @Bean
    Shop shop() {
      return new Shop();
    }
  }

  static class Shop {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<String> find(long id) {
      return Optional.empty();
    }
  }

  static List<Arguments> failures() {
    return List.of(
        Arguments.of(
            "bloomguard.backend=mongo",
            List.of("bloomguard.backend is 'mongo', but must be one of [local, redis]")),
        Arguments.of(
            "bloomguard.filters.products.backend=mongo",
            List.of(
                "bloomguard.filters.products.backend is 'mongo'",
                "one of [local, redis, redis-bloom, redis-bitmap]")),
        Arguments.of(
            "bloomguard.filters.products.layout=cuckoo",
            List.of(
                "bloomguard.filters.products.layout",
                "'cuckoo'",
                "[blocked, guava, counting, classic]",
                "commandLineArgs")),
        Arguments.of(
            "bloomguard.filters.products.on-unknown=shut",
            List.of("bloomguard.filters.products.on-unknown", "'shut'", "[open, closed]")),
        Arguments.of(
            "bloomguard.filters.products.warm-up.mode=later",
            List.of("products.warm-up.mode is 'later'", "[background, blocking, none]")),
        Arguments.of(
            "bloomguard.filters.products.warm-up.mode=",
            List.of(
                "An empty value cannot be read for [bloomguard.filters.products.warm-up.mode]",
                "Set a value or leave it out")),
        Arguments.of(
            "bloomguard.filters.products.warm-up.mod=",
            List.of("Did you mean bloomguard.filters.products.warm-up.mode?\n")),
        Arguments.of(
            "bloomguard.filters.products.warm-up.file=",
            List.of(
                "There are [bloomguard.filters.products.warm-up.max-unusable,"
                    + " bloomguard.filters.products.warm-up.min-keys,"
                    + " bloomguard.filters.products.warm-up.mode,"
                    + " bloomguard.filters.products.warm-up.snapshot,"
                    + " bloomguard.filters.products.warm-up.snapshot-max-age,"
                    + " bloomguard.filters.products.warm-up.trust-snapshot]\n")),
        Arguments.of(
            "bloomguard.cache.ttl=",
            List.of("An empty value cannot be read for [bloomguard.cache.ttl]")),
        Arguments.of(
            "bloomguard.filters.products.rebuild.journal-retention=200000d",
            List.of("journal-retention is PT4800000H", "at most 3650 days")),
        Arguments.of(
            "bloomguard.cache.ttl=soon", List.of("bloomguard.cache.ttl", "no", "valid duration")),
        Arguments.of(
            "bloomguard.cache.tll=1s",
            List.of("no property [bloomguard.cache.tll]", "bloomguard.cache.ttl")),
        Arguments.of(
            "bloomguard.filters.products.false-positive-probability=1",
            List.of(
                "bloomguard.filters.products: The filter's false-positive probability is 1.0, but"
                    + " must be greater than 0 and less than 1",
                "Set bloomguard.filters.products.expected-insertions and"
                    + " .false-positive-probability within their bounds.")),
        Arguments.of(
            "bloomguard.filters.products.source.jdbc.query=select 1",
            List.of(
                "'products'",
                "needs one data source",
                "spring.datasource.url",
                "bloomguard.enabled=false")));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void namesWhatIsWrongAndWhatToDoWithoutAStackTrace(
      String property, List<String> said, CapturedOutput output) {
    SpringApplication application = new SpringApplication(Application.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    Throwable thrown =
        catchThrowable(() -> application.run("--" + property, "--spring.config.name=none").close());
    assertThat(thrown).isNotNull();
    assertThat(output).contains("APPLICATION FAILED TO START", "Description:", "Action:");
    String report = output.toString().substring(output.toString().indexOf("APPLICATION FAILED"));
    assertThat(report).contains(said).doesNotContain("\tat ");
  }
}
