package io.bloomguard.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFilter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageSetTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final Instant AS_OF = Instant.parse("2025-06-01T10:15:30Z");
  private static final int KEYS = 20_000;

  @TempDir Path folder;

  private static ImagePlan plan(int blockWords, int partitions, int sliceBytes) {
    FilterPlan plan = FilterPlan.split(Sizing.blocked(KEYS, 0.001, blockWords), partitions);
    return ImagePlan.of("urls", plan, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT, sliceBytes);
  }

  /** Every slice of the keys 0 to KEYS - 1, as the tasks of a job would write them. */
  private static List<ImageSet.Slice> write(ImagePlan plan, ImageStorage storage)
      throws IOException {
    KeyHasher hasher = plan.hasher(SECRET);
    ImagePlan.Router router = plan.router();
    ByteArrayOutputStream[] packed = new ByteArrayOutputStream[plan.slices()];
    for (int i = 0; i < packed.length; i++) {
      packed[i] = new ByteArrayOutputStream();
    }
    for (long key = 0; key < KEYS; key++) {
      long hash = hasher.hash(key);
      packed[router.slice(hash)].writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(hash).array());
    }
    List<ImageSet.Slice> slices = new ArrayList<>();
    int count = 0;
    for (int i = 0; i < packed.length; i++) {
      ImageWriter writer = new ImageWriter(plan, i);
      count += writer.addPacked(packed[i].toByteArray());
      slices.add(writer.write("urls-1/" + i, storage));
    }
    assertThat(count).isEqualTo(KEYS);
    return slices;
  }

  private static ImageSet set(ImagePlan plan, List<ImageSet.Slice> slices) {
    return new ImageSet(plan, AS_OF, "a \"position\" \\ 0/16B3748", KEYS, 3, true, slices);
  }

  /** The bits of each partition as a filter on the heap has them. */
  private static BlockedFilter[] filters(ImagePlan plan) {
    KeyHasher hasher = plan.hasher(SECRET);
    BlockedFilter[] filters = new BlockedFilter[plan.partitions()];
    for (int i = 0; i < filters.length; i++) {
      filters[i] = new BlockedFilter(plan.part(), hasher, plan.salt());
    }
    for (long key = 0; key < KEYS; key++) {
      long hash = hasher.hash(key);
      filters[BlockGeometry.partition(hash, filters.length)].addHash(hash);
    }
    return filters;
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1024", "8, 1, 4096", "2, 3, 768", "4, 4, 1048576"})
  void slicesHaveTheBitsOfTheFilter(int blockWords, int partitions, int sliceBytes)
      throws IOException {
    ImagePlan plan = plan(blockWords, partitions, sliceBytes);
    ImageStorage storage = new ImageDirectory(folder);
    ImageSet set = set(plan, write(plan, storage));

    BlockedFilter[] expected = filters(plan);
    BlockedFilter[] read = new BlockedFilter[partitions];
    for (int i = 0; i < partitions; i++) {
      read[i] = new BlockedFilter(plan.part(), plan.hasher(SECRET), plan.salt());
    }
    for (ImageSet.Slice slice : set.slices()) {
      slice.read(
          storage,
          (partition, offset, words) -> read[partition].mergeWords(offset / Long.BYTES, words));
    }

    long bits = 0;
    for (int i = 0; i < partitions; i++) {
      assertThat(bytes(read[i])).isEqualTo(bytes(expected[i]));
      bits += Math.round(expected[i].fillRatio() * plan.part().bits());
    }
    assertThat(set.bits()).isEqualTo(bits);
    assertThat((double) set.estimatedElements()).isBetween(KEYS * 0.97, KEYS * 1.03);
  }

  private static byte[] bytes(BlockedFilter filter) {
    ByteBuffer bytes = ByteBuffer.allocate((int) filter.shape().sizeBytes());
    filter.readWords(0, bytes);
    return bytes.array();
  }

  @Test
  void everySetHasASaltOfItsOwn() {
    assertThat(plan(8, 1, 1024).salt()).isNotZero().isNotEqualTo(plan(8, 1, 1024).salt());
  }

  @Test
  void aManifestIsReadAsItWasWritten() throws IOException {
    ImagePlan plan = plan(2, 3, 4096);
    ImageSet set = set(plan, write(plan, new ImageDirectory(folder)));

    String manifest = set.manifest(SECRET);

    assertThat(ImageSet.read(manifest, SECRET)).isEqualTo(set);
    assertThat(manifest).doesNotContain(SECRET.toHex()).startsWith("{\n").endsWith("\n}\n");
  }

  /** Images are kept for long: these bytes may never change. */
  @Test
  void theFormIsTheSameForEver() throws Exception {
    ImagePlan plan = salted(plan(2, 2, 4096), 0);
    ImageStorage storage = new ImageDirectory(folder);
    ImageSet set = set(plan, write(plan, storage));

    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (ImageSet.Slice slice : set.slices()) {
      digest.update(Files.readAllBytes(folder.resolve(slice.file())));
    }
    assertThat(HexFormat.of().formatHex(digest.digest(), 0, 8)).isEqualTo("1b37f49839e5f909");
    digest.update(set.manifest(SECRET).getBytes(UTF_8));
    assertThat(HexFormat.of().formatHex(digest.digest(), 0, 8)).isEqualTo("21a9e6bb514c9065");
    ImageSet other = ImageSet.read(set(salted(plan, -1), set.slices()).manifest(SECRET), SECRET);
    assertThat(other.plan().salt()).isEqualTo(-1);
  }

  private static ImagePlan salted(ImagePlan plan, long salt) {
    return new ImagePlan(
        plan.filter(),
        plan.layout(),
        plan.insertions(),
        plan.probability(),
        plan.blockWords(),
        plan.partitions(),
        plan.hash(),
        plan.secretId(),
        plan.folding(),
        salt,
        plan.sliceBytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"keys\": 20000", "\"asOf\": \"2025", "\"offset\": 4096", "crc32c\": \""})
  void anAlteredManifestIsRefused(String part) throws IOException {
    ImagePlan plan = plan(2, 2, 4096);
    String manifest = set(plan, write(plan, new ImageDirectory(folder))).manifest(SECRET);
    int at = manifest.indexOf(part) + part.length() - 1;
    char other = manifest.charAt(at) == '1' ? '2' : '1';

    String altered = manifest.substring(0, at) + other + manifest.substring(at + 1);

    assertThatThrownBy(() -> ImageSet.read(altered, SECRET))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("altered");
  }

  @Test
  void aManifestThatIsCutShortOrForeignIsRefused() throws IOException {
    ImagePlan plan = plan(2, 2, 4096);
    String manifest = set(plan, write(plan, new ImageDirectory(folder))).manifest(SECRET);

    int length = manifest.length();
    for (int cut : new int[] {length - 1, length - 5, length / 2}) {
      assertThatThrownBy(() -> ImageSet.read(manifest.substring(0, cut), SECRET))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("cut short");
    }
    assertThatThrownBy(() -> ImageSet.read(manifest + " ", SECRET))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("bytes behind its end");
    assertThatThrownBy(() -> ImageSet.read("", SECRET))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("format");
    assertThatThrownBy(() -> ImageSet.read(manifest, HashSecret.random()))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("hash secret is " + SECRET.id());
  }

  @Test
  void aSliceThatIsNotWholeIsRefused() throws IOException {
    ImagePlan plan = plan(2, 2, 4096);
    ImageStorage storage = new ImageDirectory(folder);
    ImageSet.Slice slice = write(plan, storage).get(1);
    Path file = folder.resolve(slice.file());
    byte[] whole = Files.readAllBytes(file);

    refused(slice, storage, file, Arrays.copyOf(whole, whole.length - 1), "cut short");
    refused(slice, storage, file, Arrays.copyOf(whole, whole.length + 1), "longer");
    whole[17] ^= 4;
    refused(slice, storage, file, whole, "checksum");
    Files.delete(file);
    assertThatThrownBy(() -> slice.read(storage, (partition, offset, words) -> {}))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("missing");
  }

  private static void refused(
      ImageSet.Slice slice, ImageStorage storage, Path file, byte[] content, String reason)
      throws IOException {
    Files.write(file, content);
    assertThatThrownBy(() -> slice.read(storage, (partition, offset, words) -> {}))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void aSetThatIsNotWholeIsNone() throws IOException {
    ImagePlan plan = plan(2, 2, 4096);
    List<ImageSet.Slice> slices = write(plan, new ImageDirectory(folder));

    assertThatThrownBy(() -> set(plan, slices.subList(1, slices.size())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("slices, but its plan");
    List<ImageSet.Slice> swapped = new ArrayList<>(slices);
    Collections.swap(swapped, 0, 1);
    assertThatThrownBy(() -> set(plan, swapped)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSetOfAnotherFilterIsRefusedWithWhatDiffers() throws IOException {
    ImagePlan plan = plan(2, 2, 4096);
    ImageSet set = set(plan, write(plan, new ImageDirectory(folder)));

    set.requirePlan(plan(2, 2, 1024));
    assertThatThrownBy(() -> set.requirePlan(plan(2, 3, 4096)))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessage("The fingerprint differs: partitions is 2, expected 3");
  }

  @Test
  void aDirectoryReplacesAndListsAndDeletes() throws IOException {
    ImageStorage storage = new ImageDirectory(folder);
    storage.write("latest.json", out -> out.write("one".getBytes(UTF_8)));
    storage.write("latest.json", out -> out.write("two".getBytes(UTF_8)));
    storage.write(
        "set/0",
        out -> {
          out.write(1);
          assertThat(storage.list("set")).doesNotContain("set/0");
        });

    assertThat(storage.open("latest.json")).hasContent("two");
    assertThat(storage.list("set")).containsExactly("set/0");
    storage.delete("set/0");
    storage.delete("set/0");
    assertThat(storage.list("set")).isEmpty();
    assertThat(storage.list("none")).isEmpty();
    assertThatThrownBy(() -> storage.open("../else")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aWriteThatFailsLeavesTheFormerFile() throws IOException {
    ImageStorage storage = new ImageDirectory(folder);
    storage.write("set/0", out -> out.write("one".getBytes(UTF_8)));

    assertThatThrownBy(
            () ->
                storage.write(
                    "set/0",
                    out -> {
                      out.write(new byte[1 << 20]);
                      throw new IOException("disk full");
                    }))
        .hasMessage("disk full");

    assertThat(storage.open("set/0")).hasContent("one");
    assertThat(storage.list("set")).containsExactly("set/0");
  }

  @Test
  void tenBillionKeysArePlannedWithoutTheirBits() {
    FilterPlan plan = FilterPlan.of(Sizing.blocked(10_000_000_000L, 0.0001, 4), (512L << 20) - 160);

    ImagePlan images =
        ImagePlan.of(
            "urls", plan, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT, ImagePlan.SLICE_BYTES);

    assertThat(images.partitions()).isEqualTo(58);
    assertThat(images.slices()).isEqualTo(58 * 8);
  }
}
