package io.bloomguard.generation.internal.build;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.journal.JournalMemory;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Filters whose further settings a test leaves to the usual. */
public final class TestGenerations {

  private TestGenerations() {}

  /** The default bound on the journal of a filter. */
  public static JournalMemory journal(String filter) {
    return JournalMemory.ofAll(JournalMemory.property(filter), JournalMemory.DEFAULT_BYTES);
  }

  public static FilterSettings settings(
      String name,
      Layout layout,
      long expectedInsertions,
      double falsePositiveProbability,
      WarmUpMode warmUp,
      Duration cooldown,
      double atFill,
      KeyRules keyRules) {
    return settings(
        name,
        layout,
        expectedInsertions,
        falsePositiveProbability,
        warmUp,
        cooldown,
        atFill,
        0,
        keyRules,
        SourceRules.DEFAULT);
  }

  public static FilterSettings settings(
      String name,
      Layout layout,
      long expectedInsertions,
      double falsePositiveProbability,
      WarmUpMode warmUp,
      Duration cooldown,
      double atFill,
      double atRepeated,
      KeyRules keyRules,
      SourceRules sourceRules) {
    return new FilterSettings(
        name,
        layout,
        layout.inBlocks() ? Sizing.DEFAULT_BLOCK_WORDS : 0,
        expectedInsertions,
        falsePositiveProbability,
        warmUp,
        cooldown,
        atFill,
        atRepeated,
        keyRules,
        Duration.ofMinutes(10),
        Duration.ofSeconds(30),
        sourceRules);
  }

  /** Nothing of it outlives the process. */
  public static LocalGenerations local(
      String filter,
      Function<FilterShape, MembershipFilter> filters,
      FilterShape configured,
      Duration journalRetention,
      int helpers,
      LongSupplier ticker) {
    return new LocalGenerations(
        filter, filters, configured, journalRetention, journal(filter), helpers, ticker, null);
  }

  /** One executor runs all that it does in the background. */
  public static ManagedFilter managed(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      Executor executor,
      InstantSource clock,
      RebuildListener listener) {
    return new ManagedFilter(
        settings,
        store,
        source,
        new BuildThreads(executor, executor, new SourceThreads()),
        clock,
        listener,
        new KeyTypes(),
        ManagedFilter.Pause.SLEEP);
  }
}
