package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.source.internal.SqlQuery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
 * @param images A set of images that a job elsewhere makes of all keys.
 * @param from The name of a bean of type io.bloomguard.generation.SourceBackend, such as elastic.
 * @param settings What that one needs to know, by names of its own.
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
    @Nullable Images images,
    @Nullable String from,
    @DefaultValue Map<String, String> settings,
    @DefaultValue("false") boolean addedOnly,
    @DefaultValue("60s") Duration stall,
    @Nullable Duration recentInterval,
    @NestedConfigurationProperty @Nullable ChangesProperties changes) {

  private static final Duration DEFAULT_RECENT_INTERVAL = Duration.ofSeconds(30);

  private static final Pattern FIRST_COLUMN =
      Pattern.compile(
          "\\s*select\\s+(?:distinct\\s+)?(?:[^\\s,().]+\\.)*[\"`\\[]?(\\w+)",
          Pattern.CASE_INSENSITIVE);

  public SourceProperties {
    settings = Map.copyOf(settings);
  }

  /** The names of the kinds that are set. */
  public List<String> kinds() {
    return Stream.of(
            jdbc == null || images != null && jdbcQuery() == null ? null : "jdbc",
            r2dbc == null ? null : "r2dbc",
            file == null ? null : "file",
            bean == null ? null : "bean",
            images == null ? null : "images",
            from)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The name of the property of the kind that is set. */
  public String kind() {
    return kinds().get(0);
  }

  /** Whether the filter decides about ASCII keys alone. */
  public boolean trustsCollation() {
    return jdbc != null && jdbc.trustCollation() || r2dbc != null && r2dbc.trustCollation();
  }

  /** Whether it may read recent keys: what the application makes tells that later. */
  public boolean knowsRecent() {
    return bean != null || from != null || jdbc != null && jdbc.recentQueryOrNull() != null;
  }

  /** How many kinds are set. */
  public int count() {
    return kinds().size();
  }

  /** The query that yields its keys, null where no database does. */
  public @Nullable String query() {
    return jdbc == null ? r2dbcQuery() : jdbcQuery();
  }

  /** The query of JDBC, null where there is none. */
  @Nullable String jdbcQuery() {
    return jdbc == null || jdbc.query() == null || jdbc.query().isBlank() ? null : jdbc.query();
  }

  /** The query of R2DBC, null where there is none. */
  @Nullable String r2dbcQuery() {
    return r2dbc == null ? null : r2dbc.query();
  }

  /** The time between two readings of recent keys. */
  Duration recentIntervalOrDefault() {
    return recentInterval == null ? DEFAULT_RECENT_INTERVAL : recentInterval;
  }

  /** The first column that its query names; empty if that is not known. */
  public String firstColumn() {
    Matcher first = FIRST_COLUMN.matcher(Objects.requireNonNullElse(query(), ""));
    return first.lookingAt() ? first.group(1) : "";
  }

  public boolean isSet() {
    return !kinds().isEmpty();
  }

  /**
   * A query whose first column is the key.
   *
   * @param query The SQL text, such as select id from products; beside images none.
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
      @Nullable String query,
      @DefaultValue("10000") int fetchSize,
      @DefaultValue("") String recentQuery,
      @DefaultValue("") String dataSource,
      @DefaultValue("false") boolean trustCollation,
      @DefaultValue("60s") Duration timeout) {

    /** The recent query, null where none is set. */
    public @Nullable String recentQueryOrNull() {
      return recentQuery.isBlank() ? null : recentQuery;
    }

    /** The parameters of the recent query, null where none is set. */
    public @Nullable Integer recentParameters() {
      return recentQuery.isBlank() ? null : new SqlQuery(recentQuery).parameters();
    }

    public boolean mergesRows() {
      return query != null && new SqlQuery(query).mergesRows();
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

    public boolean mergesRows() {
      return query != null && new SqlQuery(query).mergesRows();
    }
  }

  /**
   * A set of images that a job elsewhere makes of all keys.
   *
   * @param manifest Where its manifest is: a file, a URL of any resource that Spring loads, or the
   *     name of a bean of type io.bloomguard.image.ImageStorage, a colon and the manifest's name
   *     there.
   * @param poll The time between two looks at the manifest.
   * @param maxAge How old the data of the newest set may be before the health warns; nothing is
   *     withdrawn. The journal's retention is longer, unless recent keys are read by jdbc.
   */
  public record Images(
      String manifest, @DefaultValue("5m") Duration poll, @DefaultValue("26h") Duration maxAge) {}

  /**
   * A text file in UTF-8 with one key a line.
   *
   * @param path The path of a text file in UTF-8 with one key a line.
   */
  public record File(String path) {}
}
