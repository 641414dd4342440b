package io.bloomguard.generation.internal.snapshot;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.filter.CorruptFilterException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The last part of a snapshot: the position of the feed of changes up to which the filter has all
 * of them.
 *
 * <p>All numbers are big-endian:
 *
 * <pre>
 * 8 bytes   magic "BLOOMFD1"
 * 4 bytes   length of the position, 1 to 65,536
 * then      the position, in ASCII
 * 4 bytes   CRC-32C of everything in this part before
 * </pre>
 */
final class FeedPosition {

  private static final long MAGIC = ByteBuffer.wrap("BLOOMFD1".getBytes(US_ASCII)).getLong();
  private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;
  private static final int LONGEST = 1 << 16;

  private FeedPosition() {}

  /** Writes a position; one that is too long is left out, and the next process builds. */
  static void write(String position, OutputStream out) throws IOException {
    byte[] text = position.getBytes(US_ASCII);
    if (text.length == 0 || text.length > LONGEST) {
      return;
    }
    ByteBuffer part = ByteBuffer.allocate(HEADER_BYTES + text.length + Integer.BYTES);
    part.putLong(MAGIC).putInt(text.length).put(text);
    out.write(part.putInt(checksum(part.array(), part.position())).array());
  }

  /**
   * Reads the rest of a snapshot; null if there is none.
   *
   * @throws CorruptFilterException if it is no position
   */
  static @Nullable String read(InputStream in) throws IOException {
    byte[] rest = in.readNBytes(HEADER_BYTES + LONGEST + Integer.BYTES + 1);
    if (rest.length == 0) {
      return null;
    }
    ByteBuffer part = ByteBuffer.wrap(rest);
    int length = rest.length - HEADER_BYTES - Integer.BYTES;
    if (length <= 0
        || part.getLong(0) != MAGIC
        || part.getInt(Long.BYTES) != length
        || part.getInt(HEADER_BYTES + length) != checksum(rest, HEADER_BYTES + length)) {
      throw new CorruptFilterException("There are bytes behind its end");
    }
    return new String(rest, HEADER_BYTES, length, US_ASCII);
  }

  private static int checksum(byte[] part, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(part, 0, length);
    return (int) checksum.getValue();
  }
}
