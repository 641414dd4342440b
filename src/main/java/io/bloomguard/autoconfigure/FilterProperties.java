package io.bloomguard.autoconfigure;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.WarmUpMode;
import io.bloomguard.guard.UnknownPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of one filter.
 *
 * @param expectedInsertions distinct keys the filter is made for, at least 1
 * @param falsePositiveProbability share of absent keys that pass when it holds that many, within
 *     (0, 1)
 * @param backend where its bits live; bloomguard.backend where it is not set
 * @param layout how the bits of a key are spread: blocked or guava
 * @param onUnknown what happens to keys while the filter cannot tell: open (they go on) or closed
 *     (503)
 * @param source where its keys come from; without one only added keys count
 * @param warmUp how the first generation is built
 * @param rebuild when further generations are built
 */
public record FilterProperties(
    @DefaultValue("1000000") long expectedInsertions,
    @DefaultValue("0.001") double falsePositiveProbability,
    @Nullable Backend backend,
    @DefaultValue("blocked") Layout layout,
    @DefaultValue("open") UnknownPolicy onUnknown,
    @DefaultValue Source source,
    @DefaultValue WarmUp warmUp,
    @DefaultValue Rebuild rebuild) {

  /** The shape these settings ask for. */
  FilterShape shape() {
    return Sizing.shape(layout, expectedInsertions, falsePositiveProbability);
  }

  void validate(String name) {
    String prefix = "bloomguard.filters." + name;
    try {
      shape();
    } catch (IllegalArgumentException e) {
      throw new InvalidBloomguardSettingException(
          prefix + ": " + e.getMessage(),
          "Set "
              + prefix
              + ".expected-insertions and .false-positive-probability within their bounds.");
    }
    source.validate(prefix + ".source");
    rebuild.validate(prefix + ".rebuild");
  }

  /**
   * Where the keys of a filter come from: one of these, or none.
   *
   * @param jdbc a query on the application's data source
   * @param file a text file with one key a line
   * @param bean the name of a bean of type io.bloomguard.generation.KeySource
   */
  public record Source(@Nullable Jdbc jdbc, @Nullable File file, @Nullable String bean) {

    void validate(String prefix) {
      List<String> set = new ArrayList<>();
      if (jdbc != null) {
        set.add("jdbc");
      }
      if (file != null) {
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
    }
  }

  /**
   * A query whose first column is the key.
   *
   * @param query the SQL text, such as select id from products
   * @param fetchSize rows fetched at once, at least 1
   */
  public record Jdbc(String query, @DefaultValue("10000") int fetchSize) {

    public Jdbc {
      if (query == null || query.isBlank()) {
        throw new InvalidBloomguardSettingException(
            "source.jdbc.query is empty, but must be an SQL query whose first column is the key",
            "Set it, for instance to 'select id from products'.");
      }
      if (fetchSize < 1) {
        throw new InvalidBloomguardSettingException(
            "source.jdbc.fetch-size is " + fetchSize + ", but must be at least 1",
            "Set it to 1 or more; 10000 is the default.");
      }
    }
  }

  /**
   * A text file in UTF-8 with one key a line.
   *
   * @param path where it is
   */
  public record File(Path path) {

    public File {
      if (path == null) {
        throw new InvalidBloomguardSettingException(
            "source.file.path is not set", "Set it to a text file with one key a line.");
      }
    }
  }

  /**
   * How the first generation is built.
   *
   * @param mode background (requests are served meanwhile), blocking (the application starts when
   *     it is done) or none (an operator's rebuild builds it)
   */
  public record WarmUp(@DefaultValue("background") WarmUpMode mode) {}

  /**
   * When further generations are built.
   *
   * @param cron a Spring cron expression with seconds; empty for never
   * @param atFill the fill ratio past which a larger generation is built, within (0, 1]
   * @param cooldown the least time between two rebuilds that operators ask for
   * @param journalRetention how long acknowledged adds are remembered for a generation that is
   *     built later: longer than the longest transaction that adds
   */
  public record Rebuild(
      @DefaultValue("") String cron,
      @DefaultValue("0.5") double atFill,
      @DefaultValue("1m") Duration cooldown,
      @DefaultValue("10m") Duration journalRetention) {

    void validate(String prefix) {
      if (!(atFill > 0 && atFill <= 1)) {
        throw new InvalidBloomguardSettingException(
            prefix + ".at-fill is " + atFill + ", but must be within (0, 1]",
            "Set it to the fill ratio that should set off a rebuild; 0.5 is the default.");
      }
      if (cooldown.isNegative()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".cooldown is " + cooldown + ", but must not be negative",
            "Set it to 0s or more.");
      }
      if (journalRetention.isNegative() || journalRetention.isZero()) {
        throw new InvalidBloomguardSettingException(
            prefix + ".journal-retention is " + journalRetention + ", but must be positive",
            "Set it longer than the longest transaction that adds a key.");
      }
      if (!cron.isEmpty()
          && !org.springframework.scheduling.support.CronExpression.isValidExpression(cron)) {
        throw new InvalidBloomguardSettingException(
            prefix + ".cron is '" + cron + "', which is no cron expression",
            "Use six fields (second minute hour day month weekday), such as '0 0 3 * * *'.");
      }
    }
  }
}
