package io.bloomguard.classic.internal.window;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.BlockGeometry;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The string of one generation: a header of 64 bytes (16 of seal, 8 that count the set bits,
 * zeros), the words of the filter, and the seal again, so that a truncated one is noticed.
 */
final class WindowImage {

  private static final int HEADER_BYTES = 64;
  private static final int SEAL_BYTES = 16;

  /** The most bytes of a Redis string. */
  private static final long MOST_BYTES = 512L * 1024 * 1024;

  private final FilterShape shape;
  private final BlockGeometry geometry;

  WindowImage(FilterShape shape) {
    this.shape = shape;
    this.geometry = new BlockGeometry(shape);
  }

  /** Whether a generation of a shape fits one Redis string. */
  static boolean fits(FilterShape shape) {
    return shape.sizeBytes() + HEADER_BYTES + SEAL_BYTES <= MOST_BYTES;
  }

  long sizeBytes() {
    return shape.sizeBytes() + HEADER_BYTES + SEAL_BYTES;
  }

  /** The byte at which the second seal begins. */
  long trailer() {
    return shape.sizeBytes() + HEADER_BYTES;
  }

  /**
   * The offsets of hashes as Redis counts bits, from the highest of the first byte: unsigned
   * big-endian 32-bit numbers, as many for each hash as the shape has hashes.
   */
  byte[] offsets(List<Long> hashes) {
    ByteBuffer offsets = ByteBuffer.allocate(hashes.size() * shape.hashes() * Integer.BYTES);
    long[] masks = new long[geometry.blockWords()];
    for (long hash : hashes) {
      geometry.masks(hash, masks);
      long first = geometry.blockIndex(hash) * masks.length * Long.SIZE + HEADER_BYTES * Byte.SIZE;
      int end = offsets.position() + shape.hashes() * Integer.BYTES;
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
}
