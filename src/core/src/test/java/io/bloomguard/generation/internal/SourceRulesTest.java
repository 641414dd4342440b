package io.bloomguard.generation.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceRulesTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0.5, true",
    "0, 1, 0, 0.5, false",
    "9, 10, 0, 0.5, false",
    "10, 10, 0, 0.5, true",
    "50, 1, 100, 0.5, true",
    "49, 1, 100, 0.5, false",
    "71, 1, 100, 0.29, true",
    "70, 1, 100, 0.29, false",
    "100, 1, 100, 0, true",
    "99, 1, 100, 0, false",
    "200, 1, 100, 0, true",
    "0, 0, 100, 1, true",
    "0, 0, 9223372036854775807, 0.5, false"
  })
  void publishesWhatIsEnough(
      long read, long minKeys, long before, double maxShrink, boolean published) {
    String refusal = new SourceRules(false, minKeys, maxShrink).refusal(read, before);

    assertThat(refusal == null).isEqualTo(published);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, true",
    "1, 1000, 0.001, true",
    "1, 999, 0.001, false",
    "2, 1999, 0.001, false",
    "1, 100001, 0.001, true",
    "1, 1000000, 0, false",
    "5, 5, 1, true"
  })
  void unusableKeysHaveAShare(long unusable, long read, double share, boolean allowed) {
    SourceRules rules = new SourceRules(false, 1, 0.5, Duration.ofSeconds(1), share);
    assertThat(rules.allowsUnusable(unusable, read)).isEqualTo(allowed);
    assertThat(rules.forced().allowsUnusable(unusable, read)).isEqualTo(allowed);
  }

  @Test
  void saysBothNumbersAndTheProperty() {
    assertThat(new SourceRules(false, 7, 0.5).refusal(3, 0))
        .contains("3 keys", "the 7 of warm-up.min-keys");
    assertThat(new SourceRules(false, 1, 0.5).refusal(3, 1_000))
        .contains("3 keys", "1000 when", "rebuild.max-shrink", "0.5");
  }

  @Test
  void refusesBoundsThatBoundNothing() {
    assertThatThrownBy(() -> new SourceRules(false, -1, 0.5)).hasMessageContaining("at least 0");
    assertThatThrownBy(() -> new SourceRules(false, 1, 1.1)).hasMessageContaining("within [0, 1]");
    assertThatThrownBy(() -> new SourceRules(false, 1, Double.NaN)).hasMessageContaining("[0, 1]");
    for (double share : new double[] {-0.1, 1.1, Double.NaN}) {
      assertThatThrownBy(() -> new SourceRules(false, 1, 0.5, Duration.ofSeconds(1), share))
          .hasMessageContaining("max-unusable");
    }
  }
}
