package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyFunnel;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.verify.VerifySettings;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of one filter.
 *
 * @param expectedInsertions Distinct keys the filter is made for, at least 1; not set: a million,
 *     or for the backend redis-bitmap as many as set half of its bits.
 * @param falsePositiveProbability Share of absent keys that pass when the filter holds its expected
 *     insertions, within (0, 1).
 * @param backend Where the bits of the filter live; bloomguard.backend where it is not set.
 * @param layout How the bits of a key are spread: blocked, guava, or counting, from which keys can
 *     be removed, in four times the memory.
 * @param hash The hash of a blocked filter, keyed by bloomguard.hash-secret: siphash-1-3 or
 *     siphash-2-4, which is slower.
 * @param funnel How Guava's filter takes keys: string-utf8, string-utf16, long, int or bytes;
 *     string-utf8 where it is not set. For the layout guava.
 * @param onUnknown The policy for keys while the filter cannot tell: open (they pass) or closed
 *     (503); open where it is not set, and for a blacklist it must be set.
 * @param reject Which keys are rejected: absent (those that it does not hold) or present (those
 *     that it holds: it is a blacklist).
 * @param confirm The exact source that a blacklist asks before it rejects a key.
 * @param mode What becomes of keys that it rejects: enforce (they are rejected) or observe (they
 *     are counted as rejected, and go on).
 * @param verify How many rejections are let through to find out whether they were right; not of a
 *     blacklist.
 * @param keys Which keys are equal, as the database compares the column that they come from.
 * @param source Where its keys come from; without one every key is unknown, unless
 *     source.added-only is set.
 * @param warmUp How the first generation is built.
 * @param rebuild When further generations are built.
 * @param bloom The filter of the RedisBloom module that it is, for the backend redis-bloom.
 * @param bitmap The bit strings that it shares with other programs, for the backend redis-bitmap.
 * @param replica The copy of a filter in Redis that each process may keep.
 * @param cache How long its values and null entries are kept; bloomguard.cache where it is not set.
 * @param perSubject A filter of its own for each subject.
 * @param window The time that it remembers keys, by generations; not set: for good.
 * @param rotateAtFill The fill ratio past which the next generation of a window begins before its
 *     time, or a shared bitmap is cleared that may be, within (0, 1]; not set: never.
 * @param claims How the answers to adds under a claim are kept.
 */
public record FilterProperties(
    @Nullable Long expectedInsertions,
    @DefaultValue("0.001") double falsePositiveProbability,
    @Nullable String backend,
    @DefaultValue("blocked") Layout layout,
    @Nullable KeyHash hash,
    @Nullable KeyFunnel funnel,
    @Nullable UnknownPolicy onUnknown,
    @DefaultValue("absent") Reject reject,
    @NestedConfigurationProperty @Nullable ConfirmProperties confirm,
    @DefaultValue("enforce") FilterMode mode,
    @NestedConfigurationProperty @Nullable VerifyProperties verify,
    @NestedConfigurationProperty @DefaultValue FoldingProperties keys,
    @NestedConfigurationProperty @DefaultValue SourceProperties source,
    @NestedConfigurationProperty @DefaultValue WarmUpProperties warmUp,
    @NestedConfigurationProperty @DefaultValue RebuildProperties rebuild,
    @NestedConfigurationProperty @Nullable BloomProperties bloom,
    @NestedConfigurationProperty @Nullable BitmapProperties bitmap,
    @NestedConfigurationProperty @DefaultValue ReplicaProperties replica,
    @NestedConfigurationProperty @DefaultValue FilterCacheProperties cache,
    @NestedConfigurationProperty @Nullable PerSubjectProperties perSubject,
    @NestedConfigurationProperty @Nullable WindowProperties window,
    @Nullable Double rotateAtFill,
    @NestedConfigurationProperty @DefaultValue ClaimsProperties claims) {

  private static final long DEFAULT_INSERTIONS = 1_000_000;

  /** The name of its backend. */
  String backendOr(String usual) {
    return Backend.named(backend == null ? usual : backend);
  }

  /** The setting that chooses a store of bloomguard-classic in that backend; null for none. */
  public @Nullable String classicIn(String where) {
    return switch (where) {
      case Backend.LOCAL -> layout == Layout.GUAVA ? "layout: guava" : null;
      case Backend.REDIS -> perSubject != null ? "per-subject" : window != null ? "window" : null;
      case Backend.REDIS_BLOOM, Backend.REDIS_BITMAP -> "backend: " + where;
      default -> null;
    };
  }

  /** Distinct keys that the filter is made for, where nothing but the settings says so. */
  public long expectedInsertionsOrDefault() {
    return expectedInsertions == null ? DEFAULT_INSERTIONS : expectedInsertions;
  }

  /** Whether it is another program's, so that it needs no source here. */
  private boolean isShared() {
    return bitmap != null || bloom != null;
  }

  /**
   * The dimensions of a filter.
   *
   * @throws StartRefusedException if its sizes are out of bounds
   */
  public static FilterShape withinBounds(String name, Supplier<FilterShape> sizing) {
    try {
      return sizing.get();
    } catch (IllegalArgumentException e) {
      String prefix = "bloomguard.filters." + name;
      throw new StartRefusedException(
          prefix + ": " + e.getMessage(),
          "Set %s.expected-insertions and .false-positive-probability within their bounds."
              .formatted(prefix));
    }
  }

  /**
   * The settings by which the filter is built and kept.
   *
   * @param rules those of its keys, whatever their form
   */
  public FilterSettings settings(String name, FilterShape shape, KeyRules rules) {
    return new FilterSettings(
        name,
        shape.layout(),
        shape.blockWords(),
        shape.expectedInsertions(),
        shape.falsePositiveProbability(),
        warmUp.mode(),
        rebuild.cooldown(),
        rebuild.atFill(),
        rebuild.atRepeated() == null ? 0 : rebuild.atRepeated(),
        rules.with(funnelOrDefault().form()),
        rebuild.journalRetention(),
        source.recentIntervalOrDefault(),
        sourceRules());
  }

  /**
   * Its dimensions by its settings, which its backend may change; of bits that other programs
   * share, only the kind.
   *
   * @throws StartRefusedException if its sizes are out of bounds
   */
  public FilterShape sized(String name, String where) {
    int blockWords = layout.inBlocks() ? Sizing.DEFAULT_BLOCK_WORDS : 0;
    long keys = where.equals(Backend.REDIS_BITMAP) ? 1 : expectedInsertionsOrDefault();
    return withinBounds(
        name, () -> Sizing.shape(layout, keys, falsePositiveProbability, blockWords));
  }

  /** The policy for keys while it cannot tell. */
  public UnknownPolicy unknownPolicy() {
    return onUnknown == null ? UnknownPolicy.OPEN : onUnknown;
  }

  /**
   * How its rejections are verified: a blacklist's are not, and a filter by subject gets each key
   * from its caller.
   */
  public VerifySettings verifySettings() {
    if (reject == Reject.PRESENT || perSubject != null) {
      return VerifySettings.OFF;
    }
    return verify == null ? VerifySettings.DEFAULT : verify.settings();
  }

  /** The expectations of its source. */
  private SourceRules sourceRules() {
    return new SourceRules(
        source.addedOnly() || isShared() || perSubject != null || window != null,
        warmUp.minKeys(),
        rebuild.maxShrink(),
        source.stall(),
        warmUp.maxUnusable());
  }

  /** The hash of its keys, where the layout does not have its own. */
  public KeyHash hashOrDefault() {
    return hash == null ? KeyHash.SIPHASH_1_3 : hash;
  }

  /** How its keys are put in, where the layout is Guava's. */
  public KeyFunnel funnelOrDefault() {
    return funnel == null ? KeyFunnel.STRING_UTF8 : funnel;
  }
}
