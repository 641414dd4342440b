package io.bloomguard.classic.autoconfigure;

import static io.bloomguard.redis.EmbeddedRedis.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import redis.embedded.RedisServer;

/** The settings of the backend redis-bloom: what is refused, and a server without the module. */
@Tag("redis")
class BloomSettingsTest {

  private static final String CLICKS = "bloomguard.filters.clicks.";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bloom.key=| bloom.key is not set, but the key form 'raw' shares a key",
        "source.bean=keys| source is set, but a filter of the key form 'raw' is filled by other",
        "hash=siphash-2-4| hash is set, but the key form 'raw' leaves the hash to the module",
        "rebuild.at-fill=0.4| rebuild.at-fill is set, but a filter of the key form 'raw' is never",
        "layout=guava| layout is 'guava', but the backend 'redis-bloom' has the layout of its"
            + " module",
        "layout=counting| layout is 'counting', but the backend 'redis-bloom'",
        "expected-insertions=2000000000| the module makes no filter for more than 1073741824 keys",
        "false-positive-probability=0.3| is 0.3, but the module makes no filter above 0.25",
        "bloom.expansion=-1| bloom.expansion is -1, but must be 0 to 32768",
        "bloom.expansion=40000| bloom.expansion is 40000, but must be 0 to 32768",
        "backend=local| bloom is set, but the filter's backend is 'local'",
        "backend=redis| bloom is set, but the filter's backend is 'redis'",
        "replica.enabled=true| replica.enabled is true, but the filter's backend is 'redis-bloom'",
        "warm-up.snapshot=f| warm-up.snapshot is 'f', but the backend 'redis-bloom' keeps",
        "rebuild.cron=0 0 3 * * *| but the filter has no source to rebuild from",
        "per-subject.ttl=7d| per-subject is set, but the filter's backend is 'redis-bloom'",
        "window.length=10m| window.count is not set, but must be 2 to 48"
      })
  void whatMakesNoSenseIsRefused(String property, String why) {
    FailureAnalysis failure =
        Wiring.failure(application(6379).withPropertyValues(CLICKS + property));
    assertThat(failure.getDescription()).contains(CLICKS).contains(why);
    assertThat(failure.getAction()).isNotBlank();
  }

  @Test
  void theKeyFormHashedNamesTheBackendThatTakesItsPlace() {
    FailureAnalysis failure =
        Wiring.failure(application(6379).withPropertyValues(CLICKS + "bloom.key-form=hashed"));
    assertThat(failure.getDescription()).contains(CLICKS + "bloom.key-form is 'hashed', which");
    assertThat(failure.getAction()).startsWith("Use backend: redis");
  }

  @Test
  void theLayoutOfTheModuleIsNoneOfTheOtherBackends() {
    FailureAnalysis failure =
        Wiring.failure(
            Wiring.application().withPropertyValues("bloomguard.filters.items.layout=classic"));
    assertThat(failure.getDescription()).contains("layout is 'classic', which the backend 'local'");
  }

  @Test
  void aServerWithoutTheModuleIsToldAndLeavesEveryKeyUnknown() throws Exception {
    int port = freePort();
    RedisServer redis = EmbeddedRedis.server(port).build();
    redis.start();
    try {
      application(port)
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                var guard = context.getBean(BloomGuards.class).guard("clicks", String.class);
                var managed = context.getBean(ConfiguredFilters.class).all().get(0).managed();
                await()
                    .untilAsserted(
                        () ->
                            assertThat(managed.warnings())
                                .singleElement()
                                .asString()
                                .contains("the server has no BF.* commands: RedisBloom or"));
                assertThat(managed.status().state()).isEqualTo(FilterState.DOUBTFUL);
                assertThat(guard.check("a")).isEqualTo(Membership.UNKNOWN);
              });
    } finally {
      redis.stop();
    }
  }

  private static ApplicationContextRunner application(int port) {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + port,
            "bloomguard.redis.command-timeout=2s",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            CLICKS + "backend=redis-bloom",
            CLICKS + "bloom.key-form=raw",
            CLICKS + "bloom.key=clicks");
  }
}
