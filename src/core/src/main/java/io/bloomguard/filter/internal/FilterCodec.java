package io.bloomguard.filter.internal;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * The serial form of a filter in blocks, for snapshots.
 *
 * <p>All numbers are big-endian:
 *
 * <pre>
 * 8 bytes   magic "BLOOMGRD"
 * 4 bytes   version of this form
 * 4 bytes   length of the fingerprint, then its text in UTF-8
 * 8 bytes   length of the bits, then the bits in the layout's own form
 * 4 bytes   CRC-32C (RFC 3720) of everything before
 * </pre>
 *
 * <p>A filter is read only under the fingerprint it is expected to have, with any salt. Streams of
 * any length take constant memory beside the filter.
 */
public final class FilterCodec {

  private static final long MAGIC = ByteBuffer.wrap(ascii("BLOOMGRD")).getLong();

  /** The version of this serial form. */
  private static final int FORMAT_VERSION = 2;

  private static final int MAX_FINGERPRINT_BYTES = 4096;
  private static final int BUFFER_BYTES = 1 << 16;

  private FilterCodec() {}

  /**
   * Writes a filter with every add that returned before the call. Does not close the stream.
   *
   * @param filter the filter, which may take adds meanwhile
   * @param fingerprint the settings under which alone the form can be read, but for the salt, which
   *     is the filter's
   * @param out gets the form
   * @throws IllegalArgumentException if the fingerprint is of another shape
   * @throws IOException if the stream cannot be written
   */
  public static void write(MembershipFilter filter, Fingerprint fingerprint, OutputStream out)
      throws IOException {
    if (!filter.shape().equals(fingerprint.shape())) {
      throw new IllegalArgumentException(
          "The filter's shape is " + filter.shape() + ", the fingerprint's " + fingerprint.shape());
    }
    byte[] text = fingerprint.withSalt(filter.salt()).text().getBytes(StandardCharsets.UTF_8);
    CheckedOutputStream checked = new CheckedOutputStream(out, new CRC32C());
    DataOutputStream data = new DataOutputStream(checked);
    data.writeLong(MAGIC);
    data.writeInt(FORMAT_VERSION);
    data.writeInt(text.length);
    data.write(text);
    data.writeLong(fingerprint.shape().sizeBytes());
    filter.writeBits(data);
    data.writeInt((int) checked.getChecksum().getValue());
    data.flush();
  }

  /**
   * Reads a filter, and nothing beyond its serial form. Does not close the stream.
   *
   * @param in the stream, at the begin of a form
   * @param expected the fingerprint that the form must have, but for the salt
   * @param hasher the hash that {@code expected} names
   * @return a filter with the bits of the form
   * @throws CorruptFilterException if the form is damaged, truncated, foreign or of a newer version
   * @throws IllegalArgumentException if {@code hasher} is not the one that {@code expected} names
   */
  public static MembershipFilter read(InputStream in, Fingerprint expected, KeyHasher hasher)
      throws IOException {
    requireHasher(expected, hasher);
    CheckedInputStream checked = new CheckedInputStream(in, new CRC32C());
    DataInputStream data = new DataInputStream(checked);
    try {
      long salt = readHeader(data, expected);
      MembershipFilter filter = readBlocked(data, expected.shape(), hasher, salt);
      int computed = (int) checked.getChecksum().getValue();
      int stored = data.readInt();
      if (stored != computed) {
        throw new CorruptFilterException(
            String.format("The checksum is %08x, expected %08x", computed, stored));
      }
      return filter;
    } catch (EOFException e) {
      throw new CorruptFilterException("The serial form is truncated", e);
    }
  }

  /** Returns the salt. */
  private static long readHeader(DataInputStream data, Fingerprint expected) throws IOException {
    if (data.readLong() != MAGIC) {
      throw new CorruptFilterException("The magic number is not that of a Bloomguard filter");
    }
    int version = data.readInt();
    if (version != FORMAT_VERSION) {
      throw new CorruptFilterException(
          "The format version is " + version + ", expected " + FORMAT_VERSION);
    }
    int length = data.readInt();
    if (length < 0 || length > MAX_FINGERPRINT_BYTES) {
      throw new CorruptFilterException(
          "The fingerprint's length is " + length + ", at most " + MAX_FINGERPRINT_BYTES);
    }
    byte[] text = new byte[length];
    data.readFully(text);
    String found = new String(text, StandardCharsets.UTF_8);
    long salt = salt(found);
    String unsalted = salt == 0 ? found : Fingerprint.parse(found).withSalt(0).text();
    if (!unsalted.equals(expected.text())) {
      throw new CorruptFilterException(
          "The fingerprint differs: " + Fingerprint.difference(unsalted, expected.text()));
    }
    long bitsLength = data.readLong();
    if (bitsLength != expected.shape().sizeBytes()) {
      throw new CorruptFilterException(
          "The bits have " + bitsLength + " bytes, expected " + expected.shape().sizeBytes());
    }
    return salt;
  }

  private static long salt(String fingerprint) {
    try {
      return Fingerprint.parse(fingerprint).salt();
    } catch (IllegalArgumentException e) {
      return 0;
    }
  }

  private static BlockedFilter readBlocked(
      DataInputStream data, FilterShape shape, KeyHasher hasher, long salt) throws IOException {
    BlockedFilter filter = new BlockedFilter(shape, hasher, salt);
    byte[] buffer = new byte[BUFFER_BYTES];
    long left = shape.sizeBytes();
    for (long word = 0; left > 0; word += BUFFER_BYTES / Long.BYTES) {
      int size = (int) Math.min(left, BUFFER_BYTES);
      data.readFully(buffer, 0, size);
      filter.mergeWords(word, ByteBuffer.wrap(buffer, 0, size));
      left -= size;
    }
    return filter;
  }

  private static void requireHasher(Fingerprint expected, KeyHasher hasher) {
    if (!expected.folding().equals(hasher.folding())) {
      throw new IllegalArgumentException(
          "The hash folds keys as "
              + hasher.folding().text()
              + ", but the fingerprint names "
              + expected.folding().text());
    }
    if (expected.shape().layout().inBlocks()
        && !(expected.hash().equals(hasher.algorithm())
            && expected.secretId().equals(hasher.secretId()))) {
      throw new IllegalArgumentException(
          "The hash is "
              + hasher.algorithm()
              + " under the secret "
              + hasher.secretId()
              + ", but the fingerprint names "
              + expected.hash()
              + " under "
              + expected.secretId());
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
