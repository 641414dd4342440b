package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.source.SqlQuery;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where the keys of a filter come from: one of these.
 *
 * @param jdbc A query on the application's data source.
 * @param r2dbc A query on the application's reactive connection factory.
 * @param file A text file with one key a line.
 * @param bean The name of a bean of type io.bloomguard.generation.KeySource.
 * @param addedOnly Whether the filter has no source by intention and holds what is added; without a
 *     source and without this every key is unknown.
 * @param stall How long a source may yield nothing while it is read; a build is failed by that.
 * @param recentInterval The time between two readings of recent keys, by jdbc.recent-query or a
 *     bean that knows them; 30s where it is not set.
 * @param changes The feed of the changes that other programs make to the same rows, beside one of
 *     the sources.
 */
public record SourceProperties(
    @Nullable Jdbc jdbc,
    @Nullable R2dbc r2dbc,
    @Nullable File file,
    @Nullable String bean,
    @DefaultValue("false") boolean addedOnly,
    @DefaultValue("60s") Duration stall,
    @Nullable Duration recentInterval,
    @NestedConfigurationProperty @Nullable ChangesProperties changes) {

  private static final Duration DEFAULT_RECENT_INTERVAL = Duration.ofSeconds(30);

  private static final Pattern FIRST_COLUMN =
      Pattern.compile(
          "\\s*select\\s+(?:distinct\\s+)?(?:[^\\s,().]+\\.)*[\"`\\[]?(\\w+)",
          Pattern.CASE_INSENSITIVE);

  /** The kinds of sources, for messages. */
  static final String KINDS = "source.jdbc, source.r2dbc, source.file or source.bean";

  /** What each kind of source tells of its settings. */
  sealed interface Kind {

    /** Checks the settings below {@code prefix}. */
    void validate(String prefix);

    /** Refuses what would count a key other than once for each row. */
    default void requireEachRowOnce(String prefix) {}

    /** Whether it may read recent keys. */
    default boolean mayKnowRecent() {
      return false;
    }

    /** Whether letters beyond ASCII go to the load. */
    default boolean trustCollation() {
      return false;
    }
  }

  /** The kinds that are set, by the names of their properties. */
  private Map<String, Kind> kinds() {
    Map<String, Kind> kinds = new LinkedHashMap<>();
    if (jdbc != null) {
      kinds.put("jdbc", jdbc);
    }
    if (r2dbc != null) {
      kinds.put("r2dbc", r2dbc);
    }
    if (file != null) {
      kinds.put("file", file);
    }
    if (bean != null) {
      kinds.put("bean", new Bean(bean));
    }
    return kinds;
  }

  /** The name of the property of the kind that is set. */
  public String kind() {
    return kinds().keySet().iterator().next();
  }

  /** The time between two readings of recent keys. */
  Duration recentIntervalOrDefault() {
    return recentInterval == null ? DEFAULT_RECENT_INTERVAL : recentInterval;
  }

  /** Whether the filter decides about ASCII keys alone. */
  public boolean trustsCollation() {
    return kinds().values().stream().anyMatch(Kind::trustCollation);
  }

  /** The first column that its query names; empty if that is not known. */
  public String firstColumn() {
    String query = jdbc != null ? jdbc.query() : r2dbc != null ? r2dbc.query() : "";
    Matcher first = FIRST_COLUMN.matcher(query);
    return first.lookingAt() ? first.group(1) : "";
  }

  public boolean isSet() {
    return !kinds().isEmpty();
  }

  /** Refuses what would count a key of a filter with counters other than once for each row. */
  void requireEachRowOnce(String prefix) {
    kinds().forEach((name, kind) -> kind.requireEachRowOnce(prefix + "." + name));
  }

  void validate(String prefix) {
    DurationRules.requirePositive(
        prefix + ".stall", stall, "Set it to a duration such as 60s, the default.");
    Set<String> set = kinds().keySet();
    kinds().forEach((name, kind) -> kind.validate(prefix + "." + name));
    validateRecentInterval(prefix + ".recent-interval");
    validateChanges(prefix + ".changes");
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
              + ": a filter with a source is built from it, and keys may be added to it all the"
              + " same",
          "Leave out " + prefix + ".added-only, or the source.");
    }
  }

  private void validateChanges(String property) {
    if (changes == null) {
      return;
    }
    changes.validate(property);
    if (kinds().isEmpty()) {
      throw new InvalidBloomguardSettingException(
          property + " is set, but the filter has no source: a feed tells of changes alone",
          "Set " + KINDS + " beside it, which yields the rows that there are.");
    }
  }

  private void validateRecentInterval(String property) {
    if (recentInterval == null) {
      return;
    }
    DurationRules.requirePositive(property, recentInterval, "Set it to a duration such as 30s.");
    if (kinds().values().stream().noneMatch(Kind::mayKnowRecent)) {
      throw new InvalidBloomguardSettingException(
          property + " is set, but the filter has no source that reads recent keys",
          "Set source.jdbc.recent-query or a source.bean that knows recent keys, or leave the"
              + " interval out.");
    }
  }

  /**
   * A query whose first column is the key.
   *
   * @param query The SQL text, such as select id from products.
   * @param fetchSize Rows fetched at once, at least 1.
   * @param recentQuery A query with one parameter, a moment, whose first column is the keys of rows
   *     inserted or changed since then; empty for none.
   * @param dataSource The name of the DataSource that is asked, where the application has several;
   *     empty for the only or primary one.
   * @param trustCollation Whether all rows are ASCII, where the column's collation is unknown or
   *     holds letters equal that the filter distinguishes; requests with other letters go to the
   *     load.
   * @param timeout How long the database may take for the rows of one fetch, those of the first
   *     included.
   */
  public record Jdbc(
      String query,
      @DefaultValue("10000") int fetchSize,
      @DefaultValue("") String recentQuery,
      @DefaultValue("") String dataSource,
      @DefaultValue("false") boolean trustCollation,
      @DefaultValue("60s") Duration timeout)
      implements Kind {

    /** The recent query, null where none is set. */
    public @Nullable String recentQueryOrNull() {
      return recentQuery.isBlank() ? null : recentQuery;
    }

    @Override
    public boolean mayKnowRecent() {
      return recentQueryOrNull() != null;
    }

    @Override
    public void requireEachRowOnce(String prefix) {
      requireRowsApart(prefix + ".query", query);
      if (recentQueryOrNull() != null) {
        throw new InvalidBloomguardSettingException(
            prefix
                + ".recent-query is set, but the layout is 'counting': each reading would"
                + " count its keys once more",
            "Leave it out and add such keys through the filter, or use the layout 'blocked'.");
      }
    }

    @Override
    public void validate(String prefix) {
      validateQuery(prefix, query);
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
   * A query over R2DBC whose first column is the key.
   *
   * @param query The SQL text, such as select id from products.
   * @param trustCollation Whether all rows of a text column are ASCII; requests with other letters
   *     go to the load. R2DBC shows the collation for PostgreSQL alone.
   */
  public record R2dbc(String query, @DefaultValue("false") boolean trustCollation) implements Kind {

    @Override
    public void requireEachRowOnce(String prefix) {
      requireRowsApart(prefix + ".query", query);
    }

    @Override
    public void validate(String prefix) {
      validateQuery(prefix, query);
    }
  }

  /** A source that the application makes. */
  private record Bean(String name) implements Kind {

    @Override
    public boolean mayKnowRecent() {
      return true;
    }

    @Override
    public void validate(String prefix) {
      // Its name is looked up when the filters are made.
    }
  }

  private static void requireRowsApart(String property, String query) {
    if (new SqlQuery(query).mergesRows()) {
      throw new InvalidBloomguardSettingException(
          property
              + " merges rows (distinct, group by or union), but the layout is"
              + " 'counting': a key of several rows would be removed with the first of them",
          "Have the query yield a key that one row has, or use the layout 'blocked'.");
    }
  }

  private static void validateQuery(String prefix, @Nullable String query) {
    if (query == null || query.isBlank()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".query is empty, but must be an SQL query whose first column is the key",
          "Set it, for instance to 'select id from products'.");
    }
  }

  /**
   * A text file in UTF-8 with one key a line.
   *
   * @param path The path of a text file in UTF-8 with one key a line.
   */
  public record File(String path) implements Kind {

    @Override
    public void validate(String prefix) {
      if (path == null || path.isBlank()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".path is not set", "Set it to a text file with one key a line.");
      }
    }
  }
}
