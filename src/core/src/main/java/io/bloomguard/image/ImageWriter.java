package io.bloomguard.image;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
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

  private final ImageSet.Slice place;
  private final BlockGeometry geometry;
  private final long[] words;
  private final long[] masks;
  private long touched;

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
    this.place = plan.slice(slice, part);
    this.geometry = new BlockGeometry(part, plan.salt());
    this.words = new long[(int) (place.bytes() / Long.BYTES)];
    this.masks = new long[geometry.imageWords()];
  }

  /**
   * Sets the bits of a key whose slice this is.
   *
   * @param hash the hash of the key
   */
  public void add(long hash) {
    int word = word(hash);
    geometry.masks(hash, masks);
    for (int i = 0; i < masks.length; i++) {
      words[word + i] |= masks[i];
    }
  }

  private int word(long hash) {
    return (int) (geometry.blockIndex(hash) * masks.length - place.offset() / Long.BYTES);
  }

  /**
   * Sets the bits of keys whose slice this is.
   *
   * @param packed their hashes, 8 bytes each, big-endian
   * @return their number
   */
  public int addPacked(byte[] packed) {
    LongBuffer hashes = ByteBuffer.wrap(packed).asLongBuffer();
    int count = hashes.remaining();
    // These reads are independent, so the memory serves many at once.
    for (int i = 0; i < count; i++) {
      touched |= words[word(hashes.get(i))];
    }
    for (int i = 0; i < count; i++) {
      add(hashes.get(i));
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
    storage.write(file, out -> slice[0] = write(place, file, geometry, i -> words[(int) i], out));
    return slice[0];
  }

  /**
   * Writes a slice of a filter that is on the heap, with each add that returned before the call.
   *
   * @param plan the filter's plan
   * @param slice its number
   * @param bits the partition that it is of, which may take adds meanwhile
   * @param file the name that it gets
   * @param out gets the words; it is not closed
   * @return what the manifest says of it
   * @throws IOException if the stream cannot be written
   */
  public static ImageSet.Slice write(
      ImagePlan plan, int slice, BlockedFilter bits, String file, OutputStream out)
      throws IOException {
    ImageSet.Slice place = plan.slice(slice, bits.shape());
    long first = place.offset() / Long.BYTES;
    return write(place, file, bits.geometry(), i -> bits.word(first + i), out);
  }

  private static ImageSet.Slice write(
      ImageSet.Slice place,
      String file,
      BlockGeometry geometry,
      LongUnaryOperator words,
      OutputStream out)
      throws IOException {
    CheckedOutputStream checked = new CheckedOutputStream(out, new CRC32C());
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    long count = place.bytes() / Long.BYTES;
    long set = 0;
    for (long i = 0; i < count; i++) {
      long word = words.applyAsLong(i);
      buffer.putLong(word);
      set += Long.bitCount(geometry.present(word));
      if (!buffer.hasRemaining() || i + 1 == count) {
        checked.write(buffer.array(), 0, buffer.position());
        buffer.clear();
      }
    }
    return place.with(file, set, (int) checked.getChecksum().getValue());
  }
}
