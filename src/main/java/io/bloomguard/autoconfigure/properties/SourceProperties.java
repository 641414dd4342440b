package io.bloomguard.autoconfigure.properties;

import io.bloomguard.source.SqlQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
 */
public record SourceProperties(
    @Nullable Jdbc jdbc,
    @Nullable R2dbc r2dbc,
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

  /** Whether the filter decides about ASCII keys alone. */
  public boolean trustsCollation() {
    return jdbc != null && jdbc.trustCollation() || r2dbc != null && r2dbc.trustCollation();
  }

  public boolean isSet() {
    return jdbc != null || r2dbc != null || file != null || bean != null;
  }

  void validate(String prefix) {
    DurationRules.requirePositive(
        prefix + ".stall", stall, "Set it to a duration such as 60s, the default.");
    List<String> set = new ArrayList<>();
    if (jdbc != null) {
      jdbc.validate(prefix + ".jdbc");
      set.add("jdbc");
    }
    if (r2dbc != null) {
      r2dbc.validate(prefix + ".r2dbc");
      set.add("r2dbc");
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

  /**
   * A query whose first column is the key.
   *
   * @param query The SQL text, such as select id from products.
   * @param fetchSize Rows fetched at once, at least 1.
   * @param recentQuery A query with one parameter, a moment, whose first column is the keys of rows
   *     inserted or changed since then; empty for none.
   * @param recentInterval The time between two runs of the recent query; 30s where it is not set.
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
      @Nullable Duration recentInterval,
      @DefaultValue("") String dataSource,
      @DefaultValue("false") boolean trustCollation,
      @DefaultValue("60s") Duration timeout) {

    /** The recent query, null where none is set. */
    public @Nullable String recentQueryOrNull() {
      return recentQuery.isBlank() ? null : recentQuery;
    }

    void validate(String prefix) {
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
   * A query over R2DBC whose first column is the key.
   *
   * @param query The SQL text, such as select id from products.
   * @param trustCollation Whether all rows of a text column are ASCII; requests with other letters
   *     go to the load. R2DBC shows the collation for PostgreSQL alone.
   */
  public record R2dbc(String query, @DefaultValue("false") boolean trustCollation) {

    void validate(String prefix) {
      validateQuery(prefix, query);
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
  public record File(String path) {

    void validate(String prefix) {
      if (path == null || path.isBlank()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".path is not set", "Set it to a text file with one key a line.");
      }
    }
  }
}
