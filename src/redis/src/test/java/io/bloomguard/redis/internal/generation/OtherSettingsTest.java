package io.bloomguard.redis.internal.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.redis.TestRedisFilters;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Processes of one filter whose settings differ, as in a rolling update. */
@ExtendWith(OutputCaptureExtension.class)
class OtherSettingsTest extends RedisTestBase {

  static Stream<Arguments> others() {
    return Stream.of(
        Arguments.of("layout", Sizing.shape(Layout.COUNTING, 20_000, 1e-9), RETENTION),
        Arguments.of("expected-insertions", Sizing.shape(Layout.BLOCKED, 30_000, 1e-9), RETENTION),
        Arguments.of("expected-insertions", Sizing.shape(Layout.BLOCKED, 10_000, 1e-9), RETENTION),
        Arguments.of(
            "false-positive-probability", Sizing.shape(Layout.BLOCKED, 20_000, 1e-8), RETENTION),
        Arguments.of("journal-retention", SHAPE, Duration.ofMinutes(5)));
  }

  @ParameterizedTest
  @MethodSource("others")
  void aProcessWithOtherSettingsThanTheBuildWarnsOnce(
      String setting, FilterShape shape, Duration retention, CapturedOutput output) {
    SchemeStore old = store(first);
    build(old, SHAPE, List.of("a"));
    old.maintain();
    SchemeStore next = store(settings(shape, retention), AT_ONCE);
    next.maintain();
    next.maintain();
    assertThat(warnings(output, setting)).isOne();

    build(next, shape, List.of("a"));
    old.maintain();
    old.maintain();
    assertThat(warnings(output, setting)).as("the old one warns too").isEqualTo(2);
    next.maintain();
    store(settings(shape, retention), AT_ONCE).maintain();
    assertThat(warnings(output, setting)).isEqualTo(2);
  }

  /** A filter that has grown is larger than it is configured. */
  @Test
  void aFilterThatHasGrownIsNoOtherSetting(CapturedOutput output) {
    build(store(first), Sizing.shape(Layout.BLOCKED, 40_000, 1e-9), List.of("a"));
    store(second).maintain();
    assertThat(output).doesNotContain("WARN");
  }

  private RedisFilter settings(FilterShape shape, Duration retention) {
    return TestRedisFilters.filter(filter, shape, second, "bloomguard", retention, null);
  }

  private long warnings(CapturedOutput output, String setting) {
    return output
        .toString()
        .lines()
        .filter(line -> line.contains("WARN") && line.contains(filter) && line.contains(setting))
        .count();
  }
}
