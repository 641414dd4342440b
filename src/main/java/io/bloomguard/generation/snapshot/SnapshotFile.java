package io.bloomguard.generation.snapshot;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterCodec;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Fingerprint;
import io.bloomguard.filter.KeyFunnel;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.MembershipFilter;
import io.bloomguard.filter.Sizing;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * A file with the bits of a filter and the time at which they were written.
 *
 * <p>All numbers are big-endian:
 *
 * <pre>
 * 8 bytes   magic "BLOOMSN2"
 * 8 bytes   when it was written, in milliseconds since 1970
 * 8 bytes   expected insertions of the filter's shape
 * 8 bytes   keys that it was built from, 0 if that is not known
 * 4 bytes   CRC-32C (RFC 3720) of everything before
 * then      the serial form of {@link FilterCodec}, and nothing behind it
 * </pre>
 *
 * <p>Of the layout guava it is in Guava's own form instead, as {@link GuavaSnapshot} has it.
 *
 * <p>It is written beside its place, forced to the disk and renamed, so a reader finds the former
 * one or the new one, whole. Neither way takes memory that grows with the filter, apart from the
 * filter itself.
 */
final class SnapshotFile {

  private static final long MAGIC = magic("BLOOMSN2");
  private static final int HEADER_LONGS = 4;
  private static final int HEADER_BYTES = HEADER_LONGS * Long.BYTES + Integer.BYTES;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final String TEMPORARY = ".tmp";

  private final String filter;
  private final Path file;
  private final FilterShape configured;
  private final KeyHasher hasher;
  private final KeyFunnel funnel;

  SnapshotFile(
      String filter, Path file, FilterShape configured, KeyHasher hasher, KeyFunnel funnel) {
    this.filter = filter;
    this.file = file.toAbsolutePath();
    this.configured = configured;
    this.hasher = hasher;
    this.funnel = funnel;
  }

  Path path() {
    return file;
  }

  /** Writes a filter, with every add that returned before the call, in place of the former file. */
  void write(MembershipFilter bits, long keysRead, Instant now) throws IOException {
    // Readable by its owner alone, if the file system knows owners.
    Path temporary = Files.createTempFile(directory(), name() + ".", TEMPORARY);
    try {
      try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        OutputStream out =
            new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
        if (isGuava()) {
          bits.writeBits(out);
        } else {
          out.write(header(now, bits.shape().expectedInsertions(), keysRead));
          FilterCodec.write(bits, fingerprint(bits.shape()), out);
        }
        out.flush();
        channel.force(true);
      }
      if (isGuava()) {
        Files.setLastModifiedTime(temporary, FileTime.from(now));
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
    forceDirectory();
  }

  /**
   * Forces the directory, if the system can, so that the new name outlives a crash of the machine.
   */
  private void forceDirectory() {
    try (FileChannel channel = FileChannel.open(directory(), StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // Otherwise a crash may bring back the former file, which is complete too.
    }
  }

  /**
   * Reads the file, if it is not older than {@code maxAge}.
   *
   * @throws java.nio.file.NoSuchFileException if there is no file
   * @throws CorruptFilterException if it is damaged, truncated, foreign, too old or of the future
   */
  Content read(Instant now, Duration maxAge) throws IOException {
    // One of another layout is refused below, with what differs.
    if (isGuava() && !isOwnForm()) {
      return new GuavaSnapshot(file, configured, hasher.folding(), funnel).read(now, maxAge);
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
      ByteBuffer header = header(in);
      Instant written = Instant.ofEpochMilli(header.getLong(Long.BYTES));
      requireAge(Duration.between(written, now), maxAge);
      FilterShape shape = shape(header.getLong(2 * Long.BYTES));
      MembershipFilter bits = FilterCodec.read(in, fingerprint(shape), hasher);
      if (in.read() >= 0) {
        throw new CorruptFilterException("There are bytes behind its end");
      }
      return new Content(bits, written, header.getLong(3 * Long.BYTES));
    }
  }

  private boolean isGuava() {
    return configured.layout() == Layout.GUAVA;
  }

  /**
   * Whether the file begins with a byte that no file in Guava's form can begin with: those begin
   * with 0 or 1.
   */
  private boolean isOwnForm() throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(Long.BYTES);
      return start.length == Long.BYTES && ByteBuffer.wrap(start).getLong() == MAGIC;
    }
  }

  private static long magic(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)).getLong();
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

  static void requireAge(Duration age, Duration maxAge) throws CorruptFilterException {
    if (age.isNegative()) {
      throw new CorruptFilterException("It was written " + age.negated() + " in the future");
    }
    if (age.compareTo(maxAge) > 0) {
      throw new CorruptFilterException(
          "It was written " + age + " ago, but may be at most " + maxAge + " old");
    }
  }

  /**
   * The configured shape, or one that grew from it by doublings. For any other number it is the
   * configured one, so that the codec names the difference.
   */
  private FilterShape shape(long insertions) throws IOException {
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

  /** Deletes the leftovers of a process that was killed while it wrote. */
  void deleteLeftovers() throws IOException {
    Pattern leftover = Pattern.compile(Pattern.quote(name()) + "\\.\\d+" + TEMPORARY);
    try (DirectoryStream<Path> siblings =
        Files.newDirectoryStream(
            directory(), path -> leftover.matcher(path.getFileName() + "").matches())) {
      for (Path path : siblings) {
        Files.deleteIfExists(path);
      }
    }
  }

  private Path directory() {
    return Objects.requireNonNull(file.getParent(), "An absolute file has a directory");
  }

  private String name() {
    return Objects.requireNonNull(file.getFileName(), "A file has a name").toString();
  }

  /**
   * The content of a file.
   *
   * @param written the time at which it was written
   * @param keysRead the number of keys that it was built from, 0 if that is not known
   */
  record Content(MembershipFilter bits, Instant written, long keysRead) {}
}
