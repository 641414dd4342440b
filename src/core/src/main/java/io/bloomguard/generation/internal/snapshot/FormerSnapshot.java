package io.bloomguard.generation.internal.snapshot;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.Fingerprint;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The form of snapshots up to version 0.9.0, which are read once and written in the present form.
 * To be gone in 1.1.
 *
 * <p>All numbers are big-endian, and each part ends with the CRC-32C (RFC 3720) of all of it:
 *
 * <pre>
 * 8 bytes   magic "BLOOMSN2"
 * 8 bytes   when it was written, in milliseconds since 1970
 * 8 bytes   expected insertions of the filter's shape
 * 8 bytes   keys that it was built from, 0 if that is not known
 *
 * 8 bytes   magic "BLOOMGRD"
 * 4 bytes   2
 * 4 bytes   length of the fingerprint, then its text in UTF-8
 * 8 bytes   length of the bits, then the bits
 *
 * 8 bytes   magic "BLOOMFD1": this part is there where a feed of changes is
 * 4 bytes   length of the feed's position, then the position in ASCII
 * </pre>
 */
final class FormerSnapshot {

  private static final long FILE = magic("BLOOMSN2");
  private static final long BITS = magic("BLOOMGRD");
  private static final long POSITION = magic("BLOOMFD1");
  private static final int VERSION = 2;
  private static final int LONGEST_FINGERPRINT = 4096;
  private static final int LONGEST_POSITION = 1 << 16;
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream file;
  private final CheckedInputStream checked;
  private final DataInputStream data;

  private FormerSnapshot(InputStream file) {
    this.file = file;
    this.checked = new CheckedInputStream(file, new CRC32C());
    this.data = new DataInputStream(checked);
  }

  static long magic(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII)).getLong();
  }

  /**
   * The content of a file; null if it is of another form.
   *
   * @throws CorruptFilterException if it is damaged, truncated, foreign, too old or of the future
   */
  static SnapshotForm.@Nullable Content read(
      Path path, BlockedSnapshot form, Instant now, Duration maxAge) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES)) {
      FormerSnapshot file = new FormerSnapshot(in);
      if (file.data.readLong() != FILE) {
        return null;
      }
      Instant written = Instant.ofEpochMilli(file.data.readLong());
      long insertions = file.data.readLong();
      long keysRead = file.data.readLong();
      file.endPart("header");
      SnapshotForm.requireAge(Duration.between(written, now), maxAge);
      // Takes no memory for bits that the file cannot have.
      FilterShape shape = form.plan(insertions).part();
      BlockedFilter bits =
          file.bits(form, shape.sizeBytes() < Files.size(path) ? shape : form.configured());
      return new SnapshotForm.Content(bits, written, keysRead, file.position(), true);
    } catch (EOFException e) {
      throw new CorruptFilterException("It is truncated", e);
    }
  }

  private BlockedFilter bits(BlockedSnapshot form, FilterShape shape) throws IOException {
    BlockedFilter filter = form.empty(shape, 0);
    String expected = Fingerprint.of(form.filter(), shape, filter.hasher(), 1, 0).text();
    if (data.readLong() != BITS || data.readInt() != VERSION) {
      throw new CorruptFilterException("The magic number or version of its bits is wrong");
    }
    String found = new String(text(LONGEST_FINGERPRINT), UTF_8);
    if (!found.equals(expected)) {
      throw new CorruptFilterException(
          "The fingerprint differs: " + Fingerprint.difference(found, expected));
    }
    if (data.readLong() != shape.sizeBytes()) {
      throw new CorruptFilterException("The length of its bits is not " + shape.sizeBytes());
    }
    byte[] buffer = new byte[BUFFER_BYTES];
    for (long at = 0; at < shape.sizeBytes(); at += BUFFER_BYTES) {
      int size = (int) Math.min(shape.sizeBytes() - at, BUFFER_BYTES);
      data.readFully(buffer, 0, size);
      filter.mergeWords(at / Long.BYTES, ByteBuffer.wrap(buffer, 0, size));
    }
    endPart("bits");
    return filter;
  }

  private @Nullable String position() throws IOException {
    file.mark(1);
    if (file.read() < 0) {
      return null;
    }
    file.reset();
    if (data.readLong() != POSITION) {
      throw new CorruptFilterException("There are bytes behind its end");
    }
    String position = new String(text(LONGEST_POSITION), US_ASCII);
    endPart("position");
    if (file.read() >= 0) {
      throw new CorruptFilterException("There are bytes behind its end");
    }
    return position;
  }

  private byte[] text(int longest) throws IOException {
    int length = data.readInt();
    if (length < 0 || length > longest) {
      throw new CorruptFilterException("It has a text of " + length + " bytes");
    }
    byte[] text = new byte[length];
    data.readFully(text);
    return text;
  }

  private void endPart(String part) throws IOException {
    int found = (int) checked.getChecksum().getValue();
    if (data.readInt() != found) {
      throw new CorruptFilterException("The checksum of its " + part + " is wrong");
    }
    checked.getChecksum().reset();
  }
}
