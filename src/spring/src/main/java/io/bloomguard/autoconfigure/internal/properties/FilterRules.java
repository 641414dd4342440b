package io.bloomguard.autoconfigure.internal.properties;

import static java.util.Map.entry;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.source.internal.SqlQuery;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The settings of one filter as rules judge them, with what they are used with.
 *
 * @param filter its settings
 * @param backend the name of its backend
 * @param folding which keys it holds equal
 * @param usual the lifetimes of filters that set none
 * @param readsRecent whether its source reads recent keys; null while that is not known
 */
public record FilterRules(
    FilterProperties filter,
    String backend,
    KeyFolding folding,
    BloomguardProperties.Cache usual,
    @Nullable Boolean readsRecent) {

  /** What rules ask of a filter besides its settings. */
  private static final Map<String, Function<FilterRules, @Nullable Object>> DERIVED =
      Map.ofEntries(
          entry("backend", FilterRules::backend),
          entry("source", of -> of.source().isSet()),
          entry("source.kinds", of -> of.source().kinds()),
          entry("source.count", of -> of.source().kinds().size()),
          entry("source.several", of -> of.source().kinds().size() > 1),
          entry("source.kind", of -> of.source().isSet() ? of.source().kind() : ""),
          entry("source.reads-recent", FilterRules::readsRecent),
          entry("source.knows-recent", of -> of.source().mayKnowRecent()),
          entry("source.images.retention", FilterRules::retention),
          entry("source.images.adds", FilterRules::adds),
          entry("source.jdbc.merges-rows", of -> mergesRows(of.source().jdbcQuery())),
          entry("source.r2dbc.merges-rows", of -> mergesRows(of.source().r2dbcQuery())),
          entry("source.jdbc.recent-parameters", FilterRules::recentParameters),
          entry("source.changes.keyless", FilterRules::isFeedKeyless),
          entry("confirm.jdbc.parameters", of -> of.confirmed(SqlQuery::parameters)),
          entry("confirm.jdbc.aggregate", of -> of.confirmed(SqlQuery::isAggregate)),
          entry("warm-up.snapshot.problem", FilterRules::snapshotProblem),
          entry(
              "rebuild.cron.readable",
              of -> CronExpression.isValidExpression(of.filter.rebuild().cron())),
          entry("keys.scope.of-whole-key", FilterRules::isScopeOfWholeKey),
          entry("cache.ttl.in-effect", FilterRules::ttl),
          entry("cache.soft-ttl.in-effect", FilterRules::softTtl));

  /** Those of every filter. */
  private static final SettingRules<FilterRules> COMMON =
      new SettingRules<>(
          SettingRules.table(FilterRules.class, "filter.rules"), FilterRules::setting);

  /** Of filters that have no source by their kind, the backend says so first. */
  private static final String LAST =
      """
      rebuild.at-fill|at-repeated given & source unset: the filter has no source to rebuild from
      > Set source.jdbc, source.r2dbc, source.file or source.bean of the filter, or leave it out.
      """;

  /**
   * Refuses what no backend takes.
   *
   * @throws StartRefusedException for the first row
   */
  public void require(String name) {
    COMMON.require("bloomguard.filters." + name, this);
  }

  /**
   * Refuses what a backend does not take.
   *
   * @param table the backend's own rules
   * @throws StartRefusedException for the first row
   */
  public void require(String name, String table) {
    new SettingRules<>(table + "\n" + LAST, FilterRules::setting)
        .require("bloomguard.filters." + name, this);
  }

  private static SettingRules.Setting<FilterRules> setting(String name) {
    Function<FilterRules, @Nullable Object> derived = DERIVED.get(name);
    return derived == null
        ? SettingRules.setting(FilterProperties.class, name, FilterRules::filter)
        : new SettingRules.Setting<>(Object.class, derived, null);
  }

  private SourceProperties source() {
    return filter.source();
  }

  /** The retention of a journal that has the adds since any set that is young enough. */
  private @Nullable Object retention() {
    SourceProperties.Images images = source().images();
    return images == null ? null : images.maxAge().plusHours(1).toHours() + "h";
  }

  /** The adds a second that the journal has room for then. */
  private @Nullable Object adds() {
    SourceProperties.Images images = source().images();
    return images == null ? null : filter.rebuild().addsPerSecond(images.maxAge().plusHours(1));
  }

  private static boolean mergesRows(@Nullable String query) {
    return query != null && new SqlQuery(query).mergesRows();
  }

  private @Nullable Object recentParameters() {
    String recent = source().jdbc() == null ? null : source().jdbc().recentQueryOrNull();
    return recent == null ? null : new SqlQuery(recent).parameters();
  }

  private boolean isFeedKeyless() {
    ChangesProperties changes = source().changes();
    return changes != null
        && (changes.key().isEmpty() || changes.key().stream().anyMatch(String::isBlank));
  }

  private @Nullable Object confirmed(Function<SqlQuery, Object> of) {
    ConfirmProperties.Jdbc jdbc = filter.confirm() == null ? null : filter.confirm().jdbc();
    return jdbc == null ? null : of.apply(new SqlQuery(jdbc.sql()));
  }

  private @Nullable Object snapshotProblem() {
    try {
      var unused = Path.of(filter.warmUp().snapshot());
      return null;
    } catch (InvalidPathException e) {
      return e.getReason();
    }
  }

  private boolean isScopeOfWholeKey() {
    return !filter.keys().scope().isBlank() && !folding.keepsParts();
  }

  private Duration ttl() {
    return Objects.requireNonNullElse(filter.cache().ttl(), usual.ttl());
  }

  private Duration softTtl() {
    return Objects.requireNonNullElse(filter.cache().softTtl(), usual.softTtl());
  }
}
