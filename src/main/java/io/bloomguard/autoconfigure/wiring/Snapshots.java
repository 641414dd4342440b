package io.bloomguard.autoconfigure.wiring;

import io.bloomguard.autoconfigure.properties.FilterProperties;
import io.bloomguard.autoconfigure.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.properties.WarmUpProperties;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.snapshot.SecretFile;
import io.bloomguard.generation.snapshot.Snapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Makes the snapshots that filters' properties name, and finds the secret beside them. */
final class Snapshots {

  private final @Nullable HashSecret configured;

  /** Secret files are used where no secret is {@code configured}. */
  Snapshots(@Nullable HashSecret configured) {
    this.configured = configured;
  }

  /** The snapshot of a filter, null where none is set. */
  @Nullable Snapshot snapshot(
      String filter, FilterProperties properties, FilterShape shape, KeyHasher hasher) {
    WarmUpProperties warmUp = properties.warmUp();
    Path file = warmUp.snapshotFile();
    return file == null
        ? null
        : new Snapshot(
            filter,
            file,
            shape,
            hasher,
            warmUp.snapshotMaxAgeOrDefault(),
            warmUp.trustSnapshot(),
            !properties.source().isSet(),
            InstantSource.system(),
            properties.funnelOrDefault());
  }

  /** The secret that outlives this process beside the snapshot, null where none does. */
  @Nullable HashSecret secret(String filter, FilterProperties properties, FilterShape shape) {
    Path file = properties.warmUp().snapshotFile();
    if (file == null) {
      return null;
    }
    requireUsable(filter, file);
    if (configured != null || !shape.layout().inBlocks()) {
      return null;
    }
    Path beside = SecretFile.beside(file);
    try {
      return SecretFile.readOrCreate(beside);
    } catch (IOException e) {
      throw new InvalidBloomguardSettingException(
          "Filter '"
              + filter
              + "' keeps its hash secret in '"
              + beside
              + "', which cannot be read, written or made private: "
              + e,
          "Give the file to the user that this application runs as, or set bloomguard.hash-secret.",
          e);
    }
  }

  private static void requireUsable(String filter, Path file) {
    String problem = Snapshot.problem(file);
    if (problem != null) {
      throw new InvalidBloomguardSettingException(
          "Filter '" + filter + "' keeps its snapshot in '" + file + "', which " + problem,
          "Set bloomguard.filters."
              + filter
              + ".warm-up.snapshot to a file in a directory that this application may write to.");
    }
  }
}
