package io.bloomguard.generation.internal.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.guard.internal.verify.Arrivals;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Which keys a filter may still get, and since when it has them all. */
class LateArrivalsTest {

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(1_000));
  private final AtomicBoolean broken = new AtomicBoolean();
  private final FilterSettings settings =
      TestGenerations.settings(
          "late",
          Layout.BLOCKED,
          1_000,
          0.001,
          WarmUpMode.BACKGROUND,
          Duration.ZERO,
          0.6,
          new KeyRules(256));

  private final GenerationStore store =
      TestGenerations.local(
          "late",
          shape ->
              MembershipFilters.create(
                  shape, SipHash.oneThree(HashSecret.parse("00112233445566778899aabbccddeeff"))),
          settings.shape(),
          Duration.ofMinutes(10),
          0,
          System::nanoTime);

  private ManagedFilter filter(KeySource source) {
    ManagedFilter filter =
        TestGenerations.managed(
            settings, store, source, Runnable::run, now::get, RebuildListener.NONE);
    filter.start();
    return filter;
  }

  @Test
  void aSourceThatTellsOfNoChangesLeavesNothingToCome() {
    Arrivals arrivals = filter(sink -> sink.accept("a")).arrivals();
    assertThat(arrivals.expected()).isFalse();
    assertThat(arrivals.completeSince(System.nanoTime())).isTrue();
  }

  @Test
  void whatARecentQueryBringsIsCompleteAfterAReadingThatBeganLaterAndSucceeded() {
    ManagedFilter filter =
        filter(
            new KeySource() {
              @Override
              public void forEach(KeySink sink) throws Exception {
                sink.accept("a");
              }

              @Override
              public boolean knowsRecent() {
                return true;
              }

              @Override
              public void forEachRecent(Instant since, KeySink sink) throws Exception {
                if (broken.get()) {
                  throw new IllegalStateException("no table");
                }
                sink.accept("b");
              }
            });
    Arrivals arrivals = filter.arrivals();
    assertThat(arrivals.expected()).isTrue();
    filter.maintain();
    long seen = System.nanoTime();
    assertThat(arrivals.completeSince(seen)).as("read before only").isFalse();

    broken.set(true);
    now.updateAndGet(time -> time.plusSeconds(60));
    filter.maintain();
    assertThat(arrivals.completeSince(seen)).as("a reading failed").isFalse();

    broken.set(false);
    now.updateAndGet(time -> time.plusSeconds(60));
    filter.maintain();
    assertThat(arrivals.completeSince(seen)).isTrue();
  }
}
