package io.bloomguard.bench;

import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.BuildThreads;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import java.time.Clock;
import java.time.Duration;

/** Warm-ups as the application does them: from a source of keys, blocking, with every check. */
final class Fills {

  private Fills() {}

  /**
   * A filter in this heap that holds all keys of a source.
   *
   * @param helpers threads that hash keys besides the one that reads them
   */
  static ManagedFilter local(KeySource source, long n, double p, int helpers) {
    FilterSettings settings =
        new FilterSettings(
            "products",
            Layout.BLOCKED,
            Sizing.DEFAULT_BLOCK_WORDS,
            n,
            p,
            WarmUpMode.BLOCKING,
            Duration.ofMinutes(1),
            0.5,
            0,
            new KeyRules(256),
            Duration.ofMinutes(10),
            Duration.ofSeconds(30),
            SourceRules.DEFAULT);
    LocalGenerations store =
        new LocalGenerations(
            settings.name(),
            shape -> MembershipFilters.create(shape, Peers.KEYED),
            settings.shape(),
            Duration.ofMinutes(10),
            Peers.journal(settings.name()),
            helpers,
            System::nanoTime,
            null);
    ManagedFilter filter =
        new ManagedFilter(
            settings,
            store,
            source,
            new BuildThreads(Runnable::run, Runnable::run, new SourceThreads()),
            Clock.systemUTC(),
            RebuildListener.NONE,
            new KeyTypes(),
            ManagedFilter.Pause.SLEEP);
    filter.start();
    return filter;
  }

  /** Present ids 0 to n. */
  static KeySource ids(long n) {
    return sink -> {
      for (long i = 0; i < n; i++) {
        sink.accept(BenchKeys.id(BenchKeys.present(i)));
      }
    };
  }
}
