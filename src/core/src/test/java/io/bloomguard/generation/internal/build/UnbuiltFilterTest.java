package io.bloomguard.generation.internal.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.ClearRefusedException;
import io.bloomguard.generation.ClearableStore;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.verify.Arrivals;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A filter whose store is never built from a source. */
class UnbuiltFilterTest {

  private final FilterSettings settings =
      TestGenerations.settings(
          "seen",
          Layout.BLOCKED,
          1_000,
          0.001,
          WarmUpMode.BACKGROUND,
          Duration.ofMinutes(1),
          0.5,
          0,
          new KeyRules(64),
          new SourceRules(true, 0, 0, Duration.ofMinutes(1)));

  private final KeyHasher hasher = KeyHash.SIPHASH_1_3.hasher(HashSecret.random());
  private final LocalGenerations bits =
      TestGenerations.local(
          "seen",
          shape -> MembershipFilters.create(shape, hasher),
          settings.shape(),
          Duration.ofMinutes(10),
          0,
          System::nanoTime);

  private int cleared;

  @Test
  void itTakesAddsFromItsStartOn() {
    ManagedFilter filter = filter(unbuilt(FilterStore.class), null);
    filter.start();
    filter.maintain();
    filter.store().addEach(List.of("a"));
    assertThat(filter.store().check("a")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(filter.status().state()).isEqualTo(FilterState.READY);
    assertThat(filter.arrivals()).isSameAs(Arrivals.NONE);
  }

  @Test
  void itHasNoBuilds() {
    ManagedFilter filter = filter(unbuilt(FilterStore.class), null);
    filter.start();
    assertThat(filter.rebuilds()).isEqualTo(RebuildStatus.NONE);
    assertThat(filter.progress()).isEqualTo(RebuildProgress.NONE);
    assertThat(filter.queuedRebuild()).isEmpty();
    assertThat(filter.lastRebuild()).isEmpty();
    assertThat(filter.lastSuccess()).isEmpty();
    assertThat(filter.cancelRebuildAnywhere()).isFalse();
    assertThat(filter.rollback()).isFalse();
    assertThatThrownBy(() -> filter.requestRebuild(RebuildTrigger.REQUEST))
        .isInstanceOfSatisfying(
            RebuildRefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(RebuildRefusedException.Reason.NO_SOURCE));
    filter.save();
  }

  @Test
  void oneWithASourceIsRefused() {
    assertThatThrownBy(() -> filter(unbuilt(FilterStore.class), sink -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'seen'");
  }

  @Test
  void onlyAStoreThatCanBeClearedIsCleared() {
    ManagedFilter ours = filter(unbuilt(FilterStore.class), null);
    assertThatThrownBy(ours::clear).isInstanceOf(ClearRefusedException.class);
    assertThatThrownBy(filter(bits, null)::clear).isInstanceOf(ClearRefusedException.class);
    assertThat(filter(unbuilt(ClearableStore.class), null).clear()).isEqualTo(3);
    assertThat(cleared).isOne();
  }

  private ManagedFilter filter(FilterStore store, @Nullable KeySource source) {
    return TestGenerations.managed(
        settings, store, source, Runnable::run, () -> Instant.EPOCH, RebuildListener.NONE);
  }

  /** The bits as a store that only does what {@code type} says. */
  private <S extends FilterStore> S unbuilt(Class<S> type) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("clear")) {
                cleared++;
                return 3;
              }
              return method.invoke(bits, arguments);
            }));
  }
}
