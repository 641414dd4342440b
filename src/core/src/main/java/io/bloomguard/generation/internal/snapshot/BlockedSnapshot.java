package io.bloomguard.generation.internal.snapshot;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.FilterCodec;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilters;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The form of a snapshot that only this library writes: the bits of a filter in blocks and the time
 * at which they were written.
 *
 * <p>All numbers are big-endian:
 *
 * <pre>
 * 8 bytes   magic "BLOOMSN2"
 * 8 bytes   when it was written, in milliseconds since 1970
 * 8 bytes   expected insertions of the filter's shape
 * 8 bytes   keys that it was built from, 0 if that is not known
 * 4 bytes   CRC-32C (RFC 3720) of everything before
 * then      the serial form of {@link FilterCodec}
 * </pre>
 *
 * <p>Nothing is behind it but, for a filter with a feed of changes, a {@link FeedPosition}.
 *
 * <p>It takes no memory that grows with the filter, apart from the filter itself.
 */
public final class BlockedSnapshot implements SnapshotForm {

  private static final long MAGIC =
      ByteBuffer.wrap("BLOOMSN2".getBytes(StandardCharsets.US_ASCII)).getLong();
  private static final int HEADER_LONGS = 4;
  private static final int HEADER_BYTES = HEADER_LONGS * Long.BYTES + Integer.BYTES;
  private static final int BUFFER_BYTES = 1 << 16;

  private final String filter;
  private final FilterShape configured;
  private final KeyHasher hasher;

  /**
   * @param filter the filter's name
   * @param configured the shape that is configured; a file may hold one that grew from it
   * @param hasher the hash of keys, under the same secret as in the process that wrote the file
   */
  public BlockedSnapshot(String filter, FilterShape configured, KeyHasher hasher) {
    this.filter = filter;
    this.configured = configured;
    this.hasher = hasher;
  }

  /**
   * {@return whether a file begins as this form does}
   *
   * @param file the file
   */
  public static boolean isIn(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(Long.BYTES);
      return start.length == Long.BYTES && ByteBuffer.wrap(start).getLong() == MAGIC;
    }
  }

  @Override
  public MembershipFilter empty() {
    return MembershipFilters.create(configured, hasher);
  }

  @Override
  public Content read(Path file, Instant now, Duration maxAge) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
      ByteBuffer header = header(in);
      Instant written = Instant.ofEpochMilli(header.getLong(Long.BYTES));
      SnapshotForm.requireAge(Duration.between(written, now), maxAge);
      FilterShape shape = shape(header.getLong(2 * Long.BYTES), file);
      MembershipFilter bits = FilterCodec.read(in, fingerprint(shape), hasher);
      return new Content(bits, written, header.getLong(3 * Long.BYTES), FeedPosition.read(in));
    }
  }

  @Override
  public void write(
      MembershipFilter bits,
      long keysRead,
      @Nullable String position,
      Instant now,
      OutputStream out)
      throws IOException {
    out.write(header(now, bits.shape().expectedInsertions(), keysRead));
    FilterCodec.write(bits, fingerprint(bits.shape()), out);
    if (position != null) {
      FeedPosition.write(position, out);
    }
  }

  private static byte[] header(Instant now, long insertions, long keysRead) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(MAGIC).putLong(now.toEpochMilli()).putLong(insertions).putLong(keysRead);
    return header.putInt(checksum(header)).array();
  }

  private static ByteBuffer header(InputStream in) throws IOException {
    ByteBuffer header = ByteBuffer.wrap(in.readNBytes(HEADER_BYTES));
    if (header.capacity() < HEADER_BYTES) {
      throw new CorruptFilterException("It is truncated in its header");
    }
    if (header.getLong(0) != MAGIC) {
      throw new CorruptFilterException("The magic number is not that of a snapshot");
    }
    if (header.getInt(HEADER_LONGS * Long.BYTES) != checksum(header)) {
      throw new CorruptFilterException("The checksum of its header is wrong");
    }
    return header;
  }

  private static int checksum(ByteBuffer header) {
    CRC32C checksum = new CRC32C();
    checksum.update(header.array(), 0, HEADER_LONGS * Long.BYTES);
    return (int) checksum.getValue();
  }

  /**
   * The configured shape, or one that grew from it by doublings. For any other number it is the
   * configured one, so that the codec names the difference.
   */
  private FilterShape shape(long insertions, Path file) throws IOException {
    long n = configured.expectedInsertions();
    if (insertions <= n || insertions % n != 0 || Long.bitCount(insertions / n) != 1) {
      return configured;
    }
    double p = configured.falsePositiveProbability();
    try {
      FilterShape grown = Sizing.shape(configured.layout(), insertions, p, configured.blockWords());
      // Allocates no memory for bits that the file cannot have.
      return grown.sizeBytes() < Files.size(file) ? grown : configured;
    } catch (IllegalArgumentException e) {
      return configured;
    }
  }

  private Fingerprint fingerprint(FilterShape shape) {
    return Fingerprint.of(filter, shape, hasher, 1, 0);
  }
}
