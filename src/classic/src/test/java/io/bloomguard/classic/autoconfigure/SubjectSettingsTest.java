package io.bloomguard.classic.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.generation.KeySource;
import io.bloomguard.redis.EmbeddedRedis;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a filter by subject cannot have refuses the start. */
@Tag("redis")
class SubjectSettingsTest {

  private static final String SEEN = "bloomguard.filters.seen.";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "backend=local              | seen.per-subject is set | backend is 'local'",
        "layout=guava               | layout 'blocked'        | Leave out",
        "source.bean=keys           | seen.source is set      | hold only added keys",
        "source.file.path=keys.txt  | seen.source is set      | hold only added keys",
        "warm-up.snapshot=a.bin     | warm-up.snapshot is     | 'redis'",
        "replica.enabled=true       | replica.enabled is set  | asked in Redis",
        "rebuild.cron=0 0 3 * * *   | rebuild.cron is         | no source",
        "rebuild.at-fill=0.4        | rebuild.at-fill is set  | never rebuilt",
        "cache.ttl=1m               | seen.cache is set       | decide only",
        "per-subject.ttl=0s         | per-subject.ttl is PT0S | must be positive",
        "per-subject.ttl=9999d      | per-subject.ttl is      | at most 3650 days",
        "per-subject.max-subjects=0 | max-subjects is 0       | at least 1",
        "per-subject.max-bytes=100B | max-bytes is 100B       | room for a subject",
        "per-subject.missing=never  | per-subject.missing is  | [unknown, absent]",
        "expected-insertions=100000000 | filter of one subject | at most 16777216",
        "per-subject.max-keys=1     | no property             | per-subject.max-bytes",
      })
  void isRefusedWithItsRule(String setting, String what, String rule) {
    FailureAnalysis analysis = Wiring.failure(application(0).withPropertyValues(SEEN + setting));
    assertThat(analysis.getDescription() + "\n" + analysis.getAction()).contains(what, rule);
  }

  @Test
  void anAnnotationNamesNoSubject() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      FailureAnalysis ofMethod = Wiring.failure(application(redis.port()).withBean(Articles.class));
      assertThat(ofMethod.getDescription() + ofMethod.getAction())
          .contains("Articles.find(long)", "a filter for each subject", "guards.guard(\"seen\"");
    }
  }

  private static ApplicationContextRunner application(int port) {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> {})
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + port,
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            SEEN + "backend=redis",
            SEEN + "expected-insertions=1000",
            SEEN + "per-subject.ttl=1d");
  }

  static class Articles {

    @BloomGuarded(filter = "seen", key = "#id")
    public Optional<String> find(long id) {
      return Optional.empty();
    }
  }
}
