package io.bloomguard.image;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.BlockGeometry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * The bits of one slice, in memory until they are written. For one thread.
 *
 * <p>A slice's file has its 64-bit words, big-endian, and nothing else: the manifest has their
 * checksum.
 */
public final class ImageWriter {

  private static final int BUFFER_BYTES = 1 << 16;

  private final int partition;
  private final long firstWord;
  private final BlockGeometry geometry;
  private final long[] words;
  private final long[] masks;

  /**
   * An empty slice.
   *
   * @param plan the filter's plan, with the layout {@code BLOCKED}
   * @param slice its number
   * @throws IllegalArgumentException if the layout has counters
   */
  public ImageWriter(ImagePlan plan, int slice) {
    if (plan.layout().removes()) {
      throw new IllegalArgumentException(
          "The layout is " + plan.layout() + ", but counters are made by the filter itself");
    }
    Objects.checkIndex(slice, plan.slices());
    FilterShape part = plan.part();
    int ofPartition = plan.slicesOfPartition();
    this.partition = slice / ofPartition;
    this.firstWord = slice % ofPartition * (long) (plan.sliceBytes() / Long.BYTES);
    this.geometry = new BlockGeometry(part, plan.salt());
    long left = part.sizeBytes() / Long.BYTES - firstWord;
    this.words = new long[(int) Math.min(left, plan.sliceBytes() / Long.BYTES)];
    this.masks = new long[geometry.imageWords()];
  }

  /**
   * Sets the bits of a key whose slice this is.
   *
   * @param hash the hash of the key
   */
  public void add(long hash) {
    int word = (int) (geometry.blockIndex(hash) * masks.length - firstWord);
    geometry.masks(hash, masks);
    for (int i = 0; i < masks.length; i++) {
      words[word + i] |= masks[i];
    }
  }

  /**
   * Sets the bits of keys whose slice this is.
   *
   * @param packed their hashes, 8 bytes each, big-endian
   * @return their number
   */
  public int addPacked(byte[] packed) {
    ByteBuffer hashes = ByteBuffer.wrap(packed);
    int count = 0;
    for (; hashes.remaining() >= Long.BYTES; count++) {
      add(hashes.getLong());
    }
    return count;
  }

  /**
   * Writes the slice.
   *
   * @param file the name under which the storage has it
   * @param storage gets it
   * @return what the manifest says of it
   * @throws IOException if it cannot be written
   */
  public ImageSet.Slice write(String file, ImageStorage storage) throws IOException {
    ImageSet.Slice[] slice = new ImageSet.Slice[1];
    storage.write(file, out -> slice[0] = write(file, out));
    return slice[0];
  }

  private ImageSet.Slice write(String file, OutputStream out) throws IOException {
    CheckedOutputStream checked = new CheckedOutputStream(out, new CRC32C());
    long set = 0;
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    for (int i = 0; i < words.length; i++) {
      buffer.putLong(words[i]);
      set += Long.bitCount(words[i]);
      if (!buffer.hasRemaining() || i + 1 == words.length) {
        checked.write(buffer.array(), 0, buffer.position());
        buffer.clear();
      }
    }
    long bytes = words.length * (long) Long.BYTES;
    int checksum = (int) checked.getChecksum().getValue();
    return new ImageSet.Slice(file, partition, firstWord * Long.BYTES, bytes, set, checksum);
  }
}
