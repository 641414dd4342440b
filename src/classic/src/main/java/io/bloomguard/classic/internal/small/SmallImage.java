package io.bloomguard.classic.internal.small;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.BlockGeometry;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The form of a small image: a string of a 64-byte header, the filter's words, big-endian, and a
 * 16-byte trailer. Header and trailer have a seal, so that a truncated string is noticed.
 */
public final class SmallImage {

  /** The bytes before the filter's words. */
  public static final int HEADER_BYTES = 64;

  /** Header and trailer. */
  public static final int FRAME_BYTES = HEADER_BYTES + 16;

  /** The most bytes of a Redis string. */
  private static final long MOST_BYTES = 512L * 1024 * 1024;

  private final FilterShape shape;
  private final BlockGeometry geometry;

  /** Creates the form of a filter in blocks. */
  public SmallImage(FilterShape shape) {
    this.shape = shape;
    this.geometry = new BlockGeometry(shape);
  }

  /** Whether an image of a shape fits one Redis string. */
  public static boolean fits(FilterShape shape) {
    return shape.sizeBytes() + FRAME_BYTES <= MOST_BYTES;
  }

  /** The bytes of the string. */
  public long size() {
    return shape.sizeBytes() + FRAME_BYTES;
  }

  /** The byte at which the trailer begins. */
  public long trailer() {
    return shape.sizeBytes() + HEADER_BYTES;
  }

  /** The offsets of each hash. */
  int perKey() {
    return shape.hashes();
  }

  /**
   * The offsets of hashes as Redis counts bits, from the highest of the first byte: unsigned
   * big-endian 32-bit numbers, as many for each hash as the shape has hashes.
   */
  public byte[] offsets(List<Long> hashes) {
    ByteBuffer offsets = ByteBuffer.allocate(hashes.size() * perKey() * Integer.BYTES);
    long[] masks = new long[geometry.blockWords()];
    for (long hash : hashes) {
      geometry.masks(hash, masks);
      long first = geometry.blockIndex(hash) * masks.length * Long.SIZE + HEADER_BYTES * Byte.SIZE;
      int end = offsets.position() + perKey() * Integer.BYTES;
      int last = 0;
      for (int i = 0; i < masks.length; i++) {
        for (long mask = masks[i]; mask != 0; mask &= mask - 1) {
          int bit = Long.numberOfTrailingZeros(mask);
          last = (int) (first + i * (long) Long.SIZE + (Long.SIZE - 1 - bit));
          offsets.putInt(last);
        }
      }
      // Positions may repeat; naming one twice changes nothing.
      while (offsets.position() < end) {
        offsets.putInt(last);
      }
    }
    return offsets.array();
  }

  /** The position in the filter of the bit at an offset. */
  public static long position(int offset) {
    return (Integer.toUnsignedLong(offset) - HEADER_BYTES * Byte.SIZE) ^ (Long.SIZE - 1);
  }
}
