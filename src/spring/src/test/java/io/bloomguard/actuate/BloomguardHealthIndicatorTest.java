package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class BloomguardHealthIndicatorTest {

  private static final KeySource KEYS = sink -> sink.accept(1L);
  private static final KeySource BROKEN =
      sink -> {
        throw new IllegalStateException("no table");
      };

  @Test
  void isUpWhileAnOpenFilterIsNotReady() {
    Health health = health(new TestFilters().with("products", UnknownPolicy.OPEN, KEYS));
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(health.getDetails())
        .containsEntry("products", Map.of("state", FilterState.EMPTY, "policy", "open"));
  }

  @Test
  void isUpWhileAnOpenFilterHasFailed() {
    TestFilters filters = new TestFilters().with("products", UnknownPolicy.OPEN, BROKEN);
    filters.operated().all().get(0).filter().requestRebuild(RebuildTrigger.REQUEST);
    Health health = health(filters);
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(health.getDetails())
        .containsEntry("products", Map.of("state", FilterState.FAILED, "policy", "open"));
  }

  @Test
  void isUpAndWarmingWhileAWarmUpIsTriedAgain() {
    FilterSettings settings =
        TestGenerations.settings(
            "products",
            Layout.BLOCKED,
            10,
            0.01,
            WarmUpMode.BACKGROUND,
            Duration.ZERO,
            1,
            new KeyRules(64));
    TestFilters filters = new TestFilters().of(settings, UnknownPolicy.OPEN, sink -> {});
    Health health = health(filters);
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    Map<?, ?> detail = (Map<?, ?>) health.getDetails().get("products");
    assertThat(detail.get("state")).isEqualTo(FilterState.WARMING);
    assertThat((List<?>) detail.get("warnings")).singleElement().asString().contains("min-keys");
  }

  @Test
  void isOutOfServiceWhileAClosedFilterIsNotReadyWhateverStandsAfterIt() {
    TestFilters filters =
        new TestFilters()
            .with("products", UnknownPolicy.CLOSED, KEYS)
            .with("added", UnknownPolicy.CLOSED, null);
    assertThat(health(filters).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    filters.operated().all().get(0).filter().requestRebuild(RebuildTrigger.REQUEST);
    assertThat(health(filters).getStatus()).isEqualTo(Status.UP);
  }

  @Test
  void namesTheServersAndIsUpWhetherOrNotTheyAreCertified() {
    StoreServers.Server server = new StoreServers.Server("other", "1.0", false);
    TestFilters filters = new TestFilters().with("products", UnknownPolicy.OPEN, KEYS);
    Health health =
        new BloomguardHealthIndicator(filters.operated(), () -> List.of(server)).health();
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(health.getDetails()).containsEntry("redisServers", List.of(server));
    assertThat(health(filters).getDetails()).doesNotContainKey("redisServers");
  }

  private static Health health(TestFilters filters) {
    return new BloomguardHealthIndicator(filters.operated(), List::of).health();
  }
}
