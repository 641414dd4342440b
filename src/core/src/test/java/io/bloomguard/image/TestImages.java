package io.bloomguard.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Image sets of a few keys, as a job makes them. */
public final class TestImages {

  /** The name of the manifest. */
  public static final String MANIFEST = "latest.json";

  private TestImages() {}

  /** Writes slices, and then the manifest in place of the former one. */
  public static ImageSet write(
      ImagePlan plan,
      HashSecret secret,
      Instant asOf,
      Collection<String> keys,
      ImageStorage storage)
      throws IOException {
    return write(plan, secret, asOf, null, keys, storage);
  }

  /** The same, with the position of a feed of changes. */
  public static ImageSet write(
      ImagePlan plan,
      HashSecret secret,
      Instant asOf,
      @Nullable String position,
      Collection<String> keys,
      ImageStorage storage)
      throws IOException {
    List<ImageWriter> writers = new ArrayList<>();
    for (int i = 0; i < plan.slices(); i++) {
      writers.add(new ImageWriter(plan, i));
    }
    KeyHasher hasher = plan.hasher(secret);
    ImagePlan.Router router = plan.router();
    for (String key : keys) {
      long hash = hasher.hash(key);
      writers.get(router.slice(hash)).add(hash);
    }
    String folder = UUID.randomUUID().toString();
    List<ImageSet.Slice> slices = new ArrayList<>();
    for (int i = 0; i < writers.size(); i++) {
      slices.add(writers.get(i).write(folder + "/" + i, storage));
    }
    ImageSet set = new ImageSet(plan, asOf, position, keys.size(), 0, true, slices);
    storage.write(MANIFEST, out -> out.write(set.manifest(secret).getBytes(UTF_8)));
    return set;
  }
}
