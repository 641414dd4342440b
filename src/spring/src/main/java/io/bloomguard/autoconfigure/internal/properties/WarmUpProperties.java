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

  /** Why the snapshot is no path; null where it is one. */
  public @Nullable String snapshotProblem() {
    try {
      var unused = Path.of(snapshot);
      return null;
    } catch (InvalidPathException e) {
      return e.getReason();
    }
  }

  public Duration snapshotMaxAgeOrDefault() {
    return snapshotMaxAge == null ? MAX_AGE : snapshotMaxAge;
  }
}
