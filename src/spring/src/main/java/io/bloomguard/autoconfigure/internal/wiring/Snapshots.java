package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.WarmUpProperties;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.generation.internal.snapshot.SecretFile;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.generation.internal.snapshot.SnapshotForm;
import io.bloomguard.guard.StartRefusedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Makes the snapshots that filters' properties name, and finds the secret beside them. */
final class Snapshots {

  private Snapshots() {}

  /** The snapshot of a filter in that form, null where none is set. */
  static @Nullable Snapshot snapshot(StoreOrder order, OwnSettings settings, SnapshotForm form) {
    FilterProperties properties = settings.of(order.filter());
    WarmUpProperties warmUp = properties.warmUp();
    Path file = usable(order, settings);
    return file == null
        ? null
        : new Snapshot(
            order.filter(),
            file,
            form,
            warmUp.snapshotMaxAgeOrDefault(),
            warmUp.trustSnapshot(),
            !properties.source().isSet(),
            InstantSource.system());
  }

  /** The secret that outlives this process beside the snapshot, null where none does or need. */
  static @Nullable HashSecret secret(StoreOrder order, OwnSettings settings) {
    Path file = usable(order, settings);
    if (file == null || order.secret() != null) {
      return null;
    }
    Path beside = SecretFile.beside(file);
    try {
      return SecretFile.readOrCreate(beside);
    } catch (IOException e) {
      throw new StartRefusedException(
          ("Filter '%s' keeps its hash secret in '%s', which cannot be read, written or made"
                  + " private: %s")
              .formatted(order.filter(), beside, e),
          "Give the file to the user that this application runs as, or set bloomguard.hash-secret.",
          e);
    }
  }

  private static @Nullable Path usable(StoreOrder order, OwnSettings settings) {
    Path file = settings.of(order.filter()).warmUp().snapshotFile();
    String problem = file == null ? null : Snapshot.problem(file);
    if (problem != null) {
      throw new StartRefusedException(
          "Filter '" + order.filter() + "' keeps its snapshot in '" + file + "', which " + problem,
          "Set bloomguard.filters."
              + order.filter()
              + ".warm-up.snapshot to a file in a directory that this application may write to.");
    }
    return file;
  }
}
