package io.bloomguard.image;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.Fingerprint;
import java.io.Serializable;
import java.util.Locale;

/**
 * All that must be known of a filter to make its bits: its partitions, their shape, the hash of its
 * keys, and the slices that its images are cut into.
 *
 * <p>A slice is a run of whole blocks of one partition. Slices are numbered from 0, those of
 * partition 0 first. The bits of one key lie in one slice.
 *
 * @param filter the filter's name
 * @param layout the arrangement of a key's bits: {@code BLOCKED} or {@code COUNTING}
 * @param insertions n, the distinct keys the whole filter is made for
 * @param probability p, the false-positive probability at n keys
 * @param blockWords runs of 64 positions in a block: 1, 2, 4 or 8
 * @param partitions the number of partitions, at least 1
 * @param hash the hash function of keys
 * @param secretId the public identifier of the hash's secret
 * @param folding the folding of keys, as {@link KeyFolding#text} writes it
 * @param salt the salt of all images, with which every hash is mixed before it chooses bits; 0 for
 *     none
 * @param sliceBytes the size of a slice but the last of each partition: a multiple of 256
 * @serial exclude
 */
public record ImagePlan(
    String filter,
    Layout layout,
    long insertions,
    double probability,
    int blockWords,
    int partitions,
    KeyHash hash,
    String secretId,
    String folding,
    long salt,
    int sliceBytes)
    implements Serializable {

  /** The default size of a slice, in bytes. */
  public static final int SLICE_BYTES = 64 << 20;

  private static final int SLICE_UNIT = 256;

  /**
   * Checks the parts.
   *
   * @param filter the filter's name
   * @param layout the arrangement of a key's bits
   * @param insertions n, the distinct keys the whole filter is made for
   * @param probability p, the false-positive probability at n keys
   * @param blockWords runs of 64 positions in a block
   * @param partitions the number of partitions
   * @param hash the hash function of keys
   * @param secretId the public identifier of the hash's secret
   * @param folding the folding of keys
   * @param salt the salt of all images, 0 for none
   * @param sliceBytes the size of a slice
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public ImagePlan {
    if (!layout.inBlocks()) {
      throw new IllegalArgumentException(
          "The layout is " + layout + ", but only filters in blocks have images of this form");
    }
    if (sliceBytes < SLICE_UNIT || sliceBytes % SLICE_UNIT != 0) {
      throw new IllegalArgumentException(
          "A slice has " + sliceBytes + " bytes, but must have a positive multiple of 256");
    }
  }

  /**
   * {@return the plan of a set of images of a filter, with a salt that was drawn for them}
   *
   * @param filter the filter's name
   * @param plan its partitions
   * @param hash the hash function of keys
   * @param secret the secret of the hash
   * @param folding the folding of keys
   * @param sliceBytes the size of a slice, a multiple of 256
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public static ImagePlan of(
      String filter,
      FilterPlan plan,
      KeyHash hash,
      HashSecret secret,
      KeyFolding folding,
      int sliceBytes) {
    FilterShape whole = plan.whole();
    return new ImagePlan(
        filter,
        whole.layout(),
        whole.expectedInsertions(),
        whole.falsePositiveProbability(),
        whole.blockWords(),
        plan.partitions(),
        hash,
        secret.id(),
        folding.text(),
        BlockGeometry.drawSalt(),
        sliceBytes);
  }

  /**
   * {@return the plan of the same filter, made for another number of keys and under another salt}
   *
   * @param keys n, the distinct keys the whole filter is made for
   * @param other the salt of all images, 0 for none
   */
  public ImagePlan with(long keys, long other) {
    return new ImagePlan(
        filter,
        layout,
        keys,
        probability,
        blockWords,
        partitions,
        hash,
        secretId,
        folding,
        other,
        sliceBytes);
  }

  /** {@return the dimensions of one partition} */
  public FilterShape part() {
    return FilterPlan.split(whole(), partitions).part();
  }

  FilterShape whole() {
    return Sizing.shape(layout, insertions, probability, blockWords);
  }

  /**
   * {@return the hash of keys}
   *
   * @param secret the secret that {@link #secretId} names
   * @throws IllegalArgumentException if it is another one
   */
  public KeyHasher hasher(HashSecret secret) {
    if (!secret.id().equals(secretId)) {
      throw new IllegalArgumentException(
          "The secret is " + secret.id() + ", but the images are made under " + secretId);
    }
    return KeyFolding.parse(folding).over(hash.hasher(secret));
  }

  /** {@return the text of the fingerprint of partition 0, which has all but the size of slices} */
  public String fingerprint() {
    return of(part()).withSalt(salt).text();
  }

  /** The text of a fingerprint that has all but the salt and the size of slices. */
  String fingerprint(FilterShape shape) {
    return of(shape).text();
  }

  private Fingerprint of(FilterShape shape) {
    String algorithm = hash.name().toLowerCase(Locale.ROOT).replace('_', '-');
    KeyFolding rule = KeyFolding.parse(folding);
    return new Fingerprint(filter, shape, algorithm, secretId, partitions, 0, rule);
  }

  /** {@return the number of slices of one partition} */
  public int slicesOfPartition() {
    return Math.toIntExact((part().sizeBytes() - 1) / sliceBytes + 1);
  }

  /** {@return the number of slices of all partitions} */
  public int slices() {
    return Math.multiplyExact(partitions, slicesOfPartition());
  }

  /** The place of a slice in its partition, without what only its words tell. */
  ImageSet.Slice slice(int number, FilterShape part) {
    int ofPartition = Math.toIntExact((part.sizeBytes() - 1) / sliceBytes + 1);
    long offset = number % ofPartition * (long) sliceBytes;
    long bytes = Math.min(sliceBytes, part.sizeBytes() - offset);
    return new ImageSet.Slice("", number / ofPartition, offset, bytes, 0, 0);
  }

  /** {@return a finder of the slice of a hash, which keeps what it has computed} */
  public Router router() {
    return new Router(this);
  }

  /** Finds the slice of a hash. */
  public static final class Router {

    private final int partitions;
    private final int slicesOfPartition;
    private final int sliceBytes;
    private final long blockBytes;
    private final BlockGeometry geometry;

    private Router(ImagePlan plan) {
      this.partitions = plan.partitions;
      this.slicesOfPartition = plan.slicesOfPartition();
      this.sliceBytes = plan.sliceBytes;
      this.geometry = new BlockGeometry(plan.part(), plan.salt);
      this.blockBytes = geometry.imageWords() * (long) Long.BYTES;
    }

    /**
     * {@return the number of the slice that has the bits of a key}
     *
     * @param hash the hash of the key
     */
    public int slice(long hash) {
      int partition = partitions == 1 ? 0 : BlockGeometry.partition(hash, partitions);
      long at = geometry.blockIndex(hash) * blockBytes / sliceBytes;
      return partition * slicesOfPartition + (int) at;
    }
  }
}
