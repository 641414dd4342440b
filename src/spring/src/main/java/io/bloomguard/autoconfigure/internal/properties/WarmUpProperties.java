package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.generation.internal.WarmUpMode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the first generation is built.
 *
 * @param mode Background (requests are served meanwhile), blocking (the application starts when it
 *     is done) or none (an operator's rebuild builds it).
 * @param snapshot A file that a local filter is written to after each build and read from at the
 *     start; empty for none.
 * @param snapshotMaxAge The age past which the file is refused; 24h where it is not set.
 * @param trustSnapshot Whether keys that are not in the file are denied at once; otherwise they are
 *     unknown until the first build is through.
 * @param minKeys The fewest keys that any build must read to be published, at least 0; 0 allows an
 *     empty table.
 * @param maxUnusable The share of its keys that a build may skip because they break the key rules,
 *     such as one with a line feed, 0 to 1; with more of them it fails.
 */
public record WarmUpProperties(
    @DefaultValue("background") WarmUpMode mode,
    @DefaultValue("") String snapshot,
    @Nullable Duration snapshotMaxAge,
    @DefaultValue("false") boolean trustSnapshot,
    @DefaultValue("1") long minKeys,
    @DefaultValue("0.001") double maxUnusable) {

  private static final Duration MAX_AGE = Duration.ofHours(24);

  /** The file, absolute, null where none is set. */
  public @Nullable Path snapshotFile() {
    return snapshot.isBlank() ? null : Path.of(snapshot).toAbsolutePath().normalize();
  }

  public Duration snapshotMaxAgeOrDefault() {
    return snapshotMaxAge == null ? MAX_AGE : snapshotMaxAge;
  }

  void validate(String prefix, SourceProperties source, Backend where) {
    if (minKeys < 0) {
      throw new InvalidBloomguardSettingException(
          prefix + ".min-keys is " + minKeys + ", but must be at least 0",
          "Set it to the fewest keys that the source can have; 1 is the default, and 0 allows an"
              + " empty table.");
    }
    if (!(maxUnusable >= 0 && maxUnusable <= 1)) {
      throw new InvalidBloomguardSettingException(
          prefix + ".max-unusable is " + maxUnusable + ", but must be within 0 and 1",
          "Set it to the share of keys that may be skipped; 0.001 is the default, and 0 allows none.");
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
              + "', but the filter has no source, and source.added-only is not true",
          "Set " + SourceProperties.KINDS + " of the filter, or source.added-only: true.");
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
