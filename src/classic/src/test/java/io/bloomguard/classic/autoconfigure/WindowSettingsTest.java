package io.bloomguard.classic.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.actuate.BloomFiltersWebExtension;
import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The settings of windows: what is refused, and one that works. */
@Tag("redis")
class WindowSettingsTest {

  private static final String CLICKS = "bloomguard.filters.clicks.";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "window.length=| window.length is not set, but must be at least 1s",
        "window.length=10ms| window.length is PT0.01S, but must be at least 1s",
        "window.count=| window.count is not set, but must be 2 to 48",
        "window.count=1| window.count is 1, but must be 2 to 48",
        "window.count=49| window.count is 49, but must be 2 to 48",
        "window.count=2| window remembers a key for as little as PT5M",
        "backend=local| window is set, but the filter's backend is 'local': a window goes by"
            + " Redis'",
        "layout=guava| window is set, but a window has no layout 'guava'",
        "per-subject.ttl=7d| window is set, but the filter is one by subject",
        "source.bean=keys| window is set, but the filter has a source",
        "replica.enabled=true| replica.enabled is true, but the filter is a window",
        "warm-up.snapshot=f| warm-up.snapshot is 'f', but the backend 'redis' keeps",
        "rebuild.cron=0 0 3 * * *| but the filter has no source to rebuild from",
        "rebuild.at-fill=0.4| rebuild.at-fill is set, but the filter is a window, which is never",
        "expected-insertions=1000000000| more than the 512 MiB of a Redis string",
        "rotate-at-fill=0| rotate-at-fill is 0.0, but must be within (0, 1]",
        "rotate-at-fill=1.5| rotate-at-fill is 1.5, but must be within (0, 1]"
      })
  void whatMakesNoSenseIsRefused(String property, String why) {
    FailureAnalysis failure =
        Wiring.failure(application(6379).withPropertyValues(CLICKS + property));
    assertThat(failure.getDescription()).contains(CLICKS).contains(why);
    assertThat(failure.getAction()).isNotBlank();
  }

  @Test
  void rotationWithoutAWindowIsRefused() {
    FailureAnalysis failure =
        Wiring.failure(
            Wiring.application().withPropertyValues("bloomguard.filters.items.rotate-at-fill=0.5"));
    assertThat(failure.getDescription())
        .contains("items.rotate-at-fill is set, but the filter is neither a window nor");
  }

  /** In real time: an application looks after its filters once a second. */
  @Tag("waits")
  @Test
  void aWindowDeduplicatesAndIsNeitherRebuiltNorRolledBack() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      application(redis.port())
          .withPropertyValues("management.endpoints.web.exposure.include=bloomfilters")
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                BloomGuard<String> guard =
                    context.getBean(BloomGuards.class).guard("clicks", String.class);
                await().until(() -> guard.check("never") == Membership.ABSENT);
                assertThat(guard.putEach(List.of("a", "b", "a")))
                    .containsExactly(true, true, false);
                assertThat(guard.put("b")).isFalse();
                assertThat(guard.check("a")).isEqualTo(Membership.POSSIBLY_PRESENT);

                BloomFiltersEndpoint endpoint = context.getBean(BloomFiltersEndpoint.class);
                Map<String, Object> shown = Objects.requireNonNull(endpoint.filter("clicks"));
                assertThat(shown).containsEntry("state", FilterState.READY);
                Map<?, ?> probability = (Map<?, ?>) shown.get("falsePositiveProbability");
                assertThat(probability.get("configured")).isEqualTo(0.001);
                assertThat((Double) probability.get("expected")).isCloseTo(0, within(1e-6));
                Map<?, ?> window = (Map<?, ?>) Objects.requireNonNull(shown.get("window"));
                assertThat(window.get("lengthMs")).isEqualTo(300_000L);
                assertThat(window.get("count")).isEqualTo(3);
                assertThat(window.get("elements")).isEqualTo(2L);

                BloomFiltersWebExtension web = new BloomFiltersWebExtension(endpoint);
                assertThat(status(web, "rebuild")).isEqualTo(409);
                assertThat(status(web, "rollback")).isEqualTo(409);
                assertThat(status(web, "observe")).isEqualTo(202);
              });
    }
  }

  private static int status(BloomFiltersWebExtension web, String action) {
    return web.act(SecurityContext.NONE, "clicks", action, null, null, null, null).getStatus();
  }

  private static ApplicationContextRunner application(int port) {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + port,
            "bloomguard.redis.command-timeout=2s",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            CLICKS + "backend=redis",
            CLICKS + "window.length=5m",
            CLICKS + "window.count=3",
            CLICKS + "rebuild.journal-retention=10m");
  }
}
