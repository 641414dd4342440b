package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

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

  /** A setting of the filter, or what a method here tells besides. */
  private static SettingRules.Setting<FilterRules> setting(String name) {
    Method derived = SettingNames.method(FilterRules.class, name);
    return derived == null
        ? SettingRules.setting(FilterProperties.class, name, FilterRules::filter)
        : new SettingRules.Setting<>(of -> ReflectionUtils.invokeMethod(derived, of), null);
  }

  /** Whether the filter has a source. */
  public boolean source() {
    return filter.source().isSet();
  }

  /** The retention of a journal that has the adds since any set that is young enough. */
  public String imagesRetention() {
    return imagesAge().toHours() + "h";
  }

  /** The adds a second that the journal has room for then. */
  public long imagesAdds() {
    return filter.rebuild().addsPerSecond(imagesAge());
  }

  private Duration imagesAge() {
    SourceProperties.Images images = filter.source().images();
    return (images == null ? Duration.ZERO : images.maxAge()).plusHours(1);
  }

  public boolean scopeOfWholeKey() {
    return !filter.keys().scope().isBlank() && !folding.keepsParts();
  }

  public Duration ttl() {
    return Objects.requireNonNullElse(filter.cache().ttl(), usual.ttl());
  }

  public Duration softTtl() {
    return Objects.requireNonNullElse(filter.cache().softTtl(), usual.softTtl());
  }
}
