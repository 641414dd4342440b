package io.bloomguard.autoconfigure;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyFunnel;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.ReplicaSettings;
import io.bloomguard.generation.SourceRules;
import io.bloomguard.generation.WarmUpMode;
import io.bloomguard.guard.CachePlan;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.RefreshSettings;
import io.bloomguard.guard.Reject;
import io.bloomguard.guard.UnknownPolicy;
import io.bloomguard.guard.verify.FilterMode;
import io.bloomguard.guard.verify.VerifySettings;
import io.bloomguard.source.SqlQuery;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.unit.DataSize;

/**
 * The settings of one filter.
 *
 * @param expectedInsertions Distinct keys the filter is made for, at least 1; not set: a million,
 *     or for the backend redis-bitmap as many as set half of its bits.
 * @param falsePositiveProbability Share of absent keys that pass when it holds that many, within
 *     (0, 1).
 * @param backend Where its bits live; bloomguard.backend where it is not set.
 * @param layout How the bits of a key are spread: blocked, guava, or counting, from which keys can
 *     be removed, in four times the memory.
 * @param blockWords The 64-bit words among which the bits of a key lie, 1, 2, 4 or 8; chosen by
 *     backend and false-positive probability where it is not set. For the layout blocked.
 * @param hash The hash of a blocked filter: siphash-1-3 or siphash-2-4, which are keyed by
 *     bloomguard.hash-secret, or wyhash, which is faster and public: with it, who can choose keys
 *     can make ones that pass.
 * @param funnel How Guava's filter takes keys: string-utf8, string-utf16, long, int or bytes;
 *     string-utf8 where it is not set. For the layout guava.
 * @param onUnknown What happens to keys while the filter cannot tell: open (they go on) or closed
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
 */
public record FilterProperties(
    @Nullable Long expectedInsertions,
    @DefaultValue("0.001") double falsePositiveProbability,
    @Nullable Backend backend,
    @DefaultValue("blocked") Layout layout,
    @Nullable Integer blockWords,
    @Nullable KeyHash hash,
    @Nullable KeyFunnel funnel,
    @Nullable UnknownPolicy onUnknown,
    @DefaultValue("absent") Reject reject,
    @Nullable ConfirmProperties confirm,
    @DefaultValue("enforce") FilterMode mode,
    @Nullable VerifyProperties verify,
    @DefaultValue Keys keys,
    @DefaultValue Source source,
    @DefaultValue WarmUp warmUp,
    @DefaultValue Rebuild rebuild,
    @Nullable BloomProperties bloom,
    @Nullable BitmapProperties bitmap,
    @DefaultValue Replica replica,
    @DefaultValue Cache cache,
    @Nullable PerSubjectProperties perSubject,
    @Nullable WindowProperties window,
    @Nullable Double rotateAtFill) {

  private static final long DEFAULT_INSERTIONS = 1_000_000;

  /** How the bits of a key are spread there: a module and other programs have their own layout. */
  Layout layoutIn(Backend where) {
    return where == Backend.REDIS_BLOOM || where == Backend.REDIS_BITMAP ? Layout.CLASSIC : layout;
  }

  /** Distinct keys that the filter is made for. */
  long expectedInsertionsIn(Backend where) {
    if (expectedInsertions != null) {
      return expectedInsertions;
    }
    return where == Backend.REDIS_BITMAP && bitmap != null ? bitmap.halfFull() : DEFAULT_INSERTIONS;
  }

  /** p with the expected insertions: it follows where the bits are given. */
  double falsePositiveProbabilityIn(Backend where) {
    return where == Backend.REDIS_BITMAP
        ? shapeIn(where).falsePositiveProbability()
        : falsePositiveProbability;
  }

  /** The settings of a filter of the module. */
  BloomProperties bloomOrDefault() {
    return bloom == null ? BloomProperties.DEFAULT : bloom;
  }

  /** Whether it is another program's, so that it needs no source here. */
  private boolean isShared() {
    return bitmap != null || bloom != null && bloom.keyForm() == BloomProperties.KeyForm.RAW;
  }

  /** The 64-bit words of a block, 0 for a layout without blocks. */
  int blockWordsIn(Backend where) {
    if (!layoutIn(where).inBlocks()) {
      return 0;
    }
    if (blockWords != null) {
      return blockWords;
    }
    // Counters of smaller blocks are no fewer to be read.
    return layout.removes()
        ? Sizing.DEFAULT_BLOCK_WORDS
        : where.blockWords(falsePositiveProbability);
  }

  void validate(String name, Backend where) {
    String prefix = "bloomguard.filters." + name;
    validateLayout(prefix, where);
    BitmapProperties.validate(bitmap, prefix, this, where);
    validateBlockWords(prefix);
    validateHash(prefix);
    validateFunnel(prefix);
    FilterShape shape;
    try {
      shape = shapeIn(where);
    } catch (IllegalArgumentException e) {
      throw new InvalidBloomguardSettingException(
          prefix + ": " + e.getMessage(),
          "Set "
              + prefix
              + ".expected-insertions and .false-positive-probability within their bounds.");
    }
    if (layout.removes()) {
      RemovalRules.validate(prefix, source, replica);
    }
    if (verify != null) {
      verify.validate(prefix + ".verify");
    }
    BlacklistRules.require(prefix, this);
    source.validate(prefix + ".source");
    warmUp.validate(prefix + ".warm-up", source, where);
    rebuild.validate(prefix + ".rebuild", source);
    replica.validate(prefix + ".replica", where);
    if (bloom != null || where == Backend.REDIS_BLOOM) {
      bloomOrDefault().validate(prefix, this, where);
    }
    if (window != null || rotateAtFill != null) {
      WindowProperties.validate(prefix, this, where);
    }
    if (perSubject != null) {
      perSubject.validate(prefix, this, shape, where);
    }
    rebuild.requireSource(prefix + ".rebuild", source);
  }

  private FilterShape shapeIn(Backend where) {
    if (where == Backend.REDIS_BITMAP && bitmap != null) {
      return bitmap.shape(expectedInsertionsIn(where));
    }
    return Sizing.shape(
        layoutIn(where),
        expectedInsertionsIn(where),
        falsePositiveProbability,
        blockWordsIn(where));
  }

  /** What happens to keys while it cannot tell. */
  UnknownPolicy unknownPolicy() {
    return onUnknown == null ? UnknownPolicy.OPEN : onUnknown;
  }

  /**
   * How its rejections are verified: a blacklist's are not, and a filter by subject is told of each
   * key by its caller.
   */
  VerifySettings verifySettings() {
    if (reject == Reject.PRESENT || perSubject != null) {
      return VerifySettings.OFF;
    }
    return verify == null ? VerifySettings.DEFAULT : verify.settings();
  }

  /** What is expected of its source. */
  SourceRules sourceRules() {
    return new SourceRules(
        source.addedOnly() || isShared() || perSubject != null || window != null,
        warmUp.minKeys(),
        rebuild.maxShrink(),
        source.stall());
  }

  /** The hash of its keys, where the layout does not have its own. */
  KeyHash hashOrDefault() {
    return hash == null ? KeyHash.SIPHASH_1_3 : hash;
  }

  private void validateLayout(String prefix, Backend where) {
    if (layout == Layout.CLASSIC && (where == Backend.LOCAL || where == Backend.REDIS)) {
      throw new InvalidBloomguardSettingException(
          prefix + ".layout is 'classic', which the backend '" + where + "' does not have",
          "Leave it out, or use the backend 'redis-bloom' or 'redis-bitmap'.");
    }
  }

  private void validateHash(String prefix) {
    if (hash != null && !(layout.inBlocks() || layout == Layout.CLASSIC)) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".hash is set, but the layout '"
              + layout.name().toLowerCase(Locale.ROOT)
              + "' has a hash of its own",
          "Leave it out, or use the layout 'blocked'.");
    }
  }

  /** How its keys are put in, where the layout is Guava's. */
  KeyFunnel funnelOrDefault() {
    return funnel == null ? KeyFunnel.STRING_UTF8 : funnel;
  }

  private void validateFunnel(String prefix) {
    if (funnel != null && layout != Layout.GUAVA) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".funnel is set, but the layout '"
              + layout.name().toLowerCase(Locale.ROOT)
              + "' is not shared with Guava",
          "Leave it out, or use the layout 'guava'.");
    }
  }

  private void validateBlockWords(String prefix) {
    if (blockWords == null) {
      return;
    }
    if (!layout.inBlocks()) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".block-words is set, but the layout '"
              + layout.name().toLowerCase(Locale.ROOT)
              + "' has no blocks",
          "Leave it out, or use the layout 'blocked'.");
    }
    if (blockWords < 1 || blockWords > 8 || Integer.bitCount(blockWords) != 1) {
      throw new InvalidBloomguardSettingException(
          prefix + ".block-words is " + blockWords + ", but must be 1, 2, 4 or 8",
          "Leave it out to have it chosen, or set one of these.");
    }
  }

  /**
   * Which keys are equal, as the database compares the column that they come from.
   *
   * @param letterCase Whether letters that differ in case alone are equal: exact (they are not),
   *     lower or upper (they are, and are held in that case).
   * @param trim The spaces that do not tell keys apart: none, trailing or both.
   * @param normalise The Unicode normalisation form that keys are brought to: none, nfc or nfkc.
   */
  public record Keys(
      @Name("case") @DefaultValue("exact") KeyFolding.LetterCase letterCase,
      @DefaultValue("none") KeyFolding.Trim trim,
      @DefaultValue("none") KeyFolding.Normalise normalise) {

    KeyFolding folding() {
      return new KeyFolding(letterCase, trim, normalise);
    }
  }

  /**
   * Where the keys of a filter come from: one of these.
   *
   * @param jdbc A query on the application's data source.
   * @param file A text file with one key a line.
   * @param bean The name of a bean of type io.bloomguard.generation.KeySource.
   * @param addedOnly Whether the filter has no source by intention and holds what is added; without
   *     a source and without this every key is unknown.
   * @param stall How long a source may yield nothing while it is read; a build is failed by that.
   */
  public record Source(
      @Nullable Jdbc jdbc,
      @Nullable File file,
      @Nullable String bean,
      @DefaultValue("false") boolean addedOnly,
      @DefaultValue("60s") Duration stall) {

    private static final Duration RECENT_INTERVAL = Duration.ofSeconds(30);

    /** The time between two readings of recent keys. */
    Duration recentInterval() {
      Duration set = jdbc == null ? null : jdbc.recentInterval();
      return set == null ? RECENT_INTERVAL : set;
    }

    boolean isSet() {
      return jdbc != null || file != null || bean != null;
    }

    void validate(String prefix) {
      DurationRules.requirePositive(
          prefix + ".stall", stall, "Set it to a duration such as 60s, the default.");
      List<String> set = new ArrayList<>();
      if (jdbc != null) {
        jdbc.validate(prefix + ".jdbc");
        set.add("jdbc");
      }
      if (file != null) {
        file.validate(prefix + ".file");
        set.add("file");
      }
      if (bean != null) {
        set.add("bean");
      }
      if (set.size() > 1) {
        throw new InvalidBloomguardSettingException(
            prefix + " names " + set.size() + " sources " + set + ", but a filter has one at most",
            "Keep one of " + set + ".");
      }
      if (addedOnly && !set.isEmpty()) {
        throw new InvalidBloomguardSettingException(
            prefix
                + ".added-only is true, but the filter has the source "
                + set
                + ": a filter with a source is built from it, and keys may be added to it all the same",
            "Leave out " + prefix + ".added-only, or the source.");
      }
    }
  }

  /**
   * A query whose first column is the key.
   *
   * @param query The SQL text, such as select id from products.
   * @param fetchSize Rows fetched at once, at least 1.
   * @param recentQuery A query of the keys of rows inserted or changed since the moment that is its
   *     one parameter, such as select id from products where updated_at &gt;= ?; empty for none.
   * @param recentInterval The time between two runs of the recent query; 30s where it is not set.
   * @param dataSource The name of the DataSource that is asked, where the application has several;
   *     empty for the only or primary one.
   * @param trustCollation Whether the column's collation holds no keys equal that the filter tells
   *     apart, where that cannot be known or is known to be otherwise for some letters.
   * @param timeout How long the database may take for the rows of one fetch, those of the first
   *     included.
   */
  public record Jdbc(
      String query,
      @DefaultValue("10000") int fetchSize,
      @DefaultValue("") String recentQuery,
      @Nullable Duration recentInterval,
      @DefaultValue("") String dataSource,
      @DefaultValue("false") boolean trustCollation,
      @DefaultValue("60s") Duration timeout) {

    /** The recent query, null where none is set. */
    @Nullable String recentQueryOrNull() {
      return recentQuery.isBlank() ? null : recentQuery;
    }

    void validate(String prefix) {
      if (query == null || query.isBlank()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".query is empty, but must be an SQL query whose first column is the key",
            "Set it, for instance to 'select id from products'.");
      }
      if (fetchSize < 1) {
        throw new InvalidBloomguardSettingException(
            prefix + ".fetch-size is " + fetchSize + ", but must be at least 1",
            "Set it to 1 or more; 10000 is the default.");
      }
      DurationRules.requirePositive(
          prefix + ".timeout", timeout, "Set it to a duration such as 60s, the default.");
      validateRecent(prefix);
    }

    private void validateRecent(String prefix) {
      if (recentInterval != null) {
        if (recentQuery.isBlank()) {
          throw new InvalidBloomguardSettingException(
              prefix + ".recent-interval is set, but there is no recent-query",
              "Set " + prefix + ".recent-query, or leave the interval out.");
        }
        DurationRules.requirePositive(
            prefix + ".recent-interval", recentInterval, "Set it to a duration such as 30s.");
      }
      int parameters = new SqlQuery(recentQuery).parameters();
      if (!recentQuery.isBlank() && parameters != 1) {
        throw new InvalidBloomguardSettingException(
            prefix
                + ".recent-query has "
                + parameters
                + " parameters, but must have exactly one ?, the moment since which rows changed",
            "Write it such as 'select id from products where updated_at >= ?'.");
      }
    }
  }

  /**
   * A text file in UTF-8 with one key a line.
   *
   * @param path Where it is in the file system.
   */
  public record File(String path) {

    void validate(String prefix) {
      if (path == null || path.isBlank()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".path is not set", "Set it to a text file with one key a line.");
      }
    }
  }

  /**
   * How the first generation is built.
   *
   * @param mode Background (requests are served meanwhile), blocking (the application starts when
   *     it is done) or none (an operator's rebuild builds it).
   * @param snapshot A file that a local filter is written to after each build and read from at the
   *     start; empty for none.
   * @param snapshotMaxAge The age past which the file is refused; 24h where it is not set.
   * @param trustSnapshot Whether keys that are not in the file are denied at once; otherwise they
   *     are unknown until the first build is through.
   * @param minKeys The fewest keys that any build must read to be published, at least 0; 0 allows
   *     an empty table.
   */
  public record WarmUp(
      @DefaultValue("background") WarmUpMode mode,
      @DefaultValue("") String snapshot,
      @Nullable Duration snapshotMaxAge,
      @DefaultValue("false") boolean trustSnapshot,
      @DefaultValue("1") long minKeys) {

    private static final Duration MAX_AGE = Duration.ofHours(24);

    /** The file, absolute, null where none is set. */
    @Nullable Path snapshotFile() {
      return snapshot.isBlank() ? null : Path.of(snapshot).toAbsolutePath().normalize();
    }

    Duration snapshotMaxAgeOrDefault() {
      return snapshotMaxAge == null ? MAX_AGE : snapshotMaxAge;
    }

    void validate(String prefix, Source source, Backend where) {
      if (minKeys < 0) {
        throw new InvalidBloomguardSettingException(
            prefix + ".min-keys is " + minKeys + ", but must be at least 0",
            "Set it to the fewest keys that the source can have; 1 is the default, and 0 allows an"
                + " empty table.");
      }
      if (snapshot.isBlank()) {
        requireNone(prefix + ".trust-snapshot", trustSnapshot);
        requireNone(prefix + ".snapshot-max-age", snapshotMaxAge != null);
        return;
      }
      if (where != Backend.LOCAL) {
        throw new InvalidBloomguardSettingException(
            prefix
                + ".snapshot is '"
                + snapshot
                + "', but the backend '"
                + where
                + "' keeps the filter itself",
            "Leave it out, or use backend 'local'.");
      }
      if (!source.isSet() && !source.addedOnly()) {
        throw new InvalidBloomguardSettingException(
            prefix
                + ".snapshot is '"
                + snapshot
                + "', but the filter has no source, nor says that it holds only what is added",
            "Set source.jdbc, source.file or source.bean of the filter, or source.added-only: true.");
      }
      try {
        var unused = Path.of(snapshot);
      } catch (InvalidPathException e) {
        throw new InvalidBloomguardSettingException(
            prefix + ".snapshot is no path: " + e.getReason(), "Set it to the path of a file.");
      }
      DurationRules.requirePositive(
          prefix + ".snapshot-max-age",
          snapshotMaxAgeOrDefault(),
          "Set it to the age past which a build from nothing is better, such as 24h.");
    }

    private static void requireNone(String property, boolean set) {
      if (set) {
        throw new InvalidBloomguardSettingException(
            property + " is set, but the filter has no snapshot",
            "Set warm-up.snapshot of the filter to the path of a file, or leave it out.");
      }
    }
  }

  /**
   * When further generations are built.
   *
   * @param cron A Spring cron expression with seconds; empty for never.
   * @param atFill The fill ratio past which a larger generation is built, within (0, 1].
   * @param cooldown The least time between two rebuilds that operators ask for.
   * @param journalRetention How long acknowledged adds are remembered for a generation that is
   *     built later: longer than the longest transaction that adds.
   * @param journalMax The heap that a process takes to remember its adds of the last
   *     journal-retention, and what all of them take in Redis, at least 1MB; beyond it adds are
   *     refused.
   * @param maxShrink The share by which a build may read fewer keys than the last published one,
   *     within [0, 1].
   */
  public record Rebuild(
      @DefaultValue("") String cron,
      @DefaultValue("0.5") double atFill,
      @DefaultValue("1m") Duration cooldown,
      @DefaultValue("10m") Duration journalRetention,
      @DefaultValue("128MB") DataSize journalMax,
      @DefaultValue("0.5") double maxShrink) {

    private static final double AT_FILL = 0.5;

    private static final DataSize LEAST_JOURNAL = DataSize.ofMegabytes(1);

    /** Whether the fill ratio is another than the default. */
    boolean isAtFillSet() {
      return atFill != AT_FILL;
    }

    /** Called last: of filters that have no source by their kind, the kind's own check says so. */
    void requireSource(String prefix, Source source) {
      if (isAtFillSet() && !source.isSet()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".at-fill is " + atFill + ", but the filter has no source to rebuild from",
            "Set source.jdbc, source.file or source.bean of the filter, or leave it out.");
      }
    }

    void validate(String prefix, Source source) {
      if (!(atFill > 0 && atFill <= 1)) {
        throw new InvalidBloomguardSettingException(
            prefix + ".at-fill is " + atFill + ", but must be within (0, 1]",
            "Set it to the fill ratio that should set off a rebuild; 0.5 is the default.");
      }
      if (!(maxShrink >= 0 && maxShrink <= 1)) {
        throw new InvalidBloomguardSettingException(
            prefix + ".max-shrink is " + maxShrink + ", but must be within [0, 1]",
            "Set it to the share by which the source may shrink between two builds; 0.5 is the"
                + " default, and 1 allows any.");
      }
      DurationRules.requireNotNegative(
          prefix + ".cooldown", cooldown, "Set it to 0s or more, such as 1m.");
      DurationRules.requirePositive(
          prefix + ".journal-retention",
          journalRetention,
          "Set it longer than the longest transaction that adds a key, such as 10m.");
      if (journalMax.compareTo(LEAST_JOURNAL) < 0) {
        throw new InvalidBloomguardSettingException(
            prefix + ".journal-max is " + journalMax + ", but must be at least 1MB",
            "Set it to 12 bytes for each key that is added within journal-retention; 128MB is the"
                + " default.");
      }
      if (!cron.isEmpty() && !CronExpression.isValidExpression(cron)) {
        throw new InvalidBloomguardSettingException(
            prefix + ".cron is '" + cron + "', which is no cron expression",
            "Use six fields (second minute hour day month weekday), such as '0 0 3 * * *'.");
      }
      if (!cron.isEmpty() && !source.isSet()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".cron is '" + cron + "', but the filter has no source to rebuild from",
            "Set source.jdbc, source.file or source.bean of the filter, or leave the schedule out.");
      }
    }
  }

  /**
   * The copy of a filter in Redis that each process may keep: what it has needs no round trip.
   *
   * @param enabled Whether there is one.
   * @param maxSize The heap it may take; a larger filter is not copied, but asked in Redis.
   * @param confirm What happens to a key that the copy does not have: always (Redis is asked before
   *     it is rejected) or when-stale-over (it is rejected, unless the copy is older than
   *     max-staleness; keys that other processes added within that time may be rejected).
   * @param maxStaleness How long ago the copy was last compared with Redis, at most, for it to
   *     answer; beyond it Redis is asked.
   */
  public record Replica(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("256MB") DataSize maxSize,
      @DefaultValue("always") ReplicaSettings.Confirm confirm,
      @DefaultValue("500ms") Duration maxStaleness) {

    private static final Duration SHORTEST = Duration.ofMillis(10);

    /** The same for the store, null for no replica. */
    @Nullable ReplicaSettings settings() {
      return enabled ? new ReplicaSettings(maxSize.toBytes(), confirm, maxStaleness) : null;
    }

    void validate(String prefix, Backend where) {
      if (enabled && where != Backend.REDIS) {
        throw new InvalidBloomguardSettingException(
            prefix
                + ".enabled is true, but the filter's backend is '"
                + where
                + "', of which no copy is kept",
            "Leave it out, or use the backend 'redis'.");
      }
      if (maxSize.toBytes() < 1) {
        throw new InvalidBloomguardSettingException(
            prefix + ".max-size is " + maxSize + ", but must be positive",
            "Set it to the heap that the copy may take, such as 256MB.");
      }
      DurationRules.requirePositive(
          prefix + ".max-staleness", maxStaleness, "Set it to 10ms or more, such as 500ms.");
      if (maxStaleness.compareTo(SHORTEST) < 0) {
        throw new InvalidBloomguardSettingException(
            prefix + ".max-staleness is " + maxStaleness + ", but must be at least 10ms",
            "Set it to 10ms or more; 500ms is the default.");
      }
    }
  }

  /**
   * How long values and null entries of one filter are kept. What is not set is as in
   * bloomguard.cache.
   *
   * @param ttl The lifetime of values.
   * @param softTtl How long a value is served before one caller loads it again while the others are
   *     served with it, until the end of ttl; shorter than ttl, 0 for never.
   * @param refreshBeta How early a value falls due by chance before that (XFetch): 1 is usual, more
   *     is earlier, 0 never; within [0, 10].
   * @param nullTtl The lifetime of null entries.
   * @param jitter Lifetimes are stretched by a random factor of 1 to 1 + jitter; within [0, 1].
   * @param maxNullEntries The bound on null entries alive at once.
   * @param copy Whether each caller gets a value of its own, also from a local cache.
   */
  public record Cache(
      @Nullable Duration ttl,
      @Nullable Duration softTtl,
      @Nullable Double refreshBeta,
      @Nullable Duration nullTtl,
      @Nullable Double jitter,
      @Nullable Long maxNullEntries,
      @Nullable Boolean copy) {

    static final Cache NONE = new Cache(null, null, null, null, null, null, null);

    CachePlan plan(String backend, BloomguardProperties.Cache usual, Duration lease) {
      CacheSettings settings =
          new CacheSettings(
              ttl == null ? usual.ttl() : ttl,
              nullTtl == null ? usual.nullTtl() : nullTtl,
              jitter == null ? usual.jitter() : jitter,
              usual.maxValues(),
              maxNullEntries == null ? usual.maxNullEntries() : maxNullEntries,
              lease,
              new RefreshSettings(
                  softTtl == null ? usual.softTtl() : softTtl,
                  refreshBeta == null ? usual.refreshBeta() : refreshBeta));
      return new CachePlan(backend, settings, copy == null ? usual.copy() : copy);
    }

    void validate(String prefix, BloomguardProperties.Cache usual) {
      if (ttl != null) {
        DurationRules.requirePositive(prefix + ".ttl", ttl, "Set it to a duration such as 10m.");
      }
      if (softTtl != null) {
        RefreshRules.requireSoftTtl(prefix, softTtl);
      }
      if (refreshBeta != null) {
        RefreshRules.requireBeta(prefix, refreshBeta);
      }
      RefreshRules.requireShorter(
          prefix, softTtl == null ? usual.softTtl() : softTtl, ttl == null ? usual.ttl() : ttl);
      if (nullTtl != null) {
        DurationRules.requirePositive(
            prefix + ".null-ttl", nullTtl, "Set it to a duration such as 30s.");
      }
      if (jitter != null) {
        BloomguardProperties.Cache.requireJitter(prefix, jitter);
      }
      if (maxNullEntries != null && maxNullEntries < 0) {
        throw new InvalidBloomguardSettingException(
            prefix + ".max-null-entries is " + maxNullEntries + ", but must not be negative",
            "Set it to 0 or more.");
      }
    }
  }
}
