package io.bloomguard.generation.internal.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How large the next generation is made. */
class ResizePolicyTest {

  private static final long N = 1_000;

  @Test
  void theFirstGenerationIsAsConfigured() {
    ResizePolicy policy = policy(N, 0.5);
    assertThat(policy.next(status(0, 9 * N, 0.99), true, 9 * N)).isEqualTo(configured(N));
    assertThat(configured(N).expectedInsertions()).isEqualTo(N);
  }

  @Test
  void aFilterThatIsJustFullHasNotOutgrownItsSize() {
    ResizePolicy policy = policy(N, 0.9);
    assertThat(policy.next(status(1, 1_050, 0.5), false, 0)).isEqualTo(configured(N));
    // There is room in what is configured, as full as that may become.
    assertThat(policy.next(status(1, 1_051, 0.5), false, 0)).isEqualTo(configured(N));
    assertThat(policy.next(status(1, 4 * N, 0.5), false, 0).expectedInsertions()).isGreaterThan(N);
  }

  @Test
  void whatWouldBeTooFullAgainIsMadeLarger() {
    ResizePolicy policy = policy(N, 0.3);
    FilterShape configured = configured(N);
    long least = 1;
    while (configured.fillRatioAt(least + 1) <= 0.3) {
      least++;
    }
    assertThat(policy.next(status(1, least, 0.3), false, 0)).isEqualTo(configured);
    assertThat(policy.next(status(1, least + 1, 0.3), false, 0).expectedInsertions())
        .isGreaterThan(N);
  }

  @ParameterizedTest
  @ValueSource(longs = {500, 1_000, 1_500, 5_000, 123_456})
  void whatGrowsIsTheSmallestDoublingWithHeadroom(long elements) {
    double atFill = 0.5;
    ResizePolicy policy = policy(N, atFill);
    FilterShape next = policy.next(status(1, elements, 0.5), true, 0);
    long n = next.expectedInsertions();
    assertThat(Long.bitCount(n / N)).isOne();
    assertThat(n % N).isZero();
    assertThat(next.fillRatioAt(elements)).isLessThanOrEqualTo(0.75 * atFill);
    if (n > N) {
      assertThat(settings(n / 2, atFill).shape().fillRatioAt(elements))
          .isGreaterThan(0.75 * atFill);
    }
  }

  @Test
  void whatIsSaturatedIsJudgedByItsSource() {
    ResizePolicy policy = policy(N, 0.5);
    assertThat(policy.next(status(1, N, 0.9), false, 100 * N).expectedInsertions())
        .as("the estimate is still good")
        .isEqualTo(policy.next(status(1, N, 0.5), false, 0).expectedInsertions());
    assertThat(policy.next(status(1, N, 0.91), false, 100 * N).expectedInsertions())
        .isGreaterThanOrEqualTo(100 * N);
    assertThat(policy.next(status(1, 100 * N, 0.91), false, N).expectedInsertions())
        .isGreaterThanOrEqualTo(100 * N);
  }

  @Test
  void whereThereIsNoLargerShapeItStaysTheLargest() {
    long n = 6_000_000_000L;
    ResizePolicy policy = policy(n, 0.5);
    assertThat(policy.next(status(1, 4 * n, 0.8), true, 0)).isEqualTo(configured(n));
  }

  @Test
  void theThresholdIsWithinZeroAndOne() {
    assertThat(settings(N, 1).atFill()).isEqualTo(1);
    for (double wrong : new double[] {0, -0.5, 1.01, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings(N, wrong))
          .withMessageContaining(Double.toString(wrong))
          .withMessageContaining("(0, 1]");
    }
  }

  private static FilterShape configured(long n) {
    return settings(n, 0.5).shape();
  }

  private static ResizePolicy policy(long n, double atFill) {
    return new ResizePolicy(settings(n, atFill), true, true);
  }

  private static FilterStatus status(long generation, long elements, double fillRatio) {
    return new FilterStatus(
        FilterState.READY, generation, settings(N, 0.5).shape(), elements, fillRatio, 0.01, false);
  }

  private static FilterSettings settings(long n, double atFill) {
    return TestGenerations.settings(
        "items",
        Layout.BLOCKED,
        n,
        0.001,
        WarmUpMode.NONE,
        Duration.ZERO,
        atFill,
        new KeyRules(64));
  }
}
