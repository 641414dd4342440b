package io.bloomguard.generation.internal.snapshot;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.ImageWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The form of a snapshot that only this library writes: an {@linkplain ImageSet image set} in one
 * file.
 *
 * <pre>
 * 8 bytes   magic "BLOOMSN3"
 * 8 bytes   length of all slices, big-endian
 * then      the slices, one after the other
 * then      the manifest, to the end of the file
 * </pre>
 *
 * <p>It takes no memory that grows with the filter, apart from the filter itself.
 */
public final class BlockedSnapshot implements SnapshotForm {

  private static final long MAGIC = FormerSnapshot.magic("BLOOMSN3");
  private static final int HEADER_BYTES = 2 * Long.BYTES;
  private static final int LONGEST_MANIFEST = 1 << 20;
  private static final int LONGEST_POSITION = 1 << 16;

  private final ImagePlan plan;
  private final FilterShape configured;
  private final HashSecret secret;

  /**
   * @param filter the filter's name
   * @param configured the shape that is configured; a file may hold one that grew from it
   * @param hash the hash of keys
   * @param secret the secret of the hash, the same as in the process that wrote the file
   * @param folding the rule by which keys are equal
   */
  public BlockedSnapshot(
      String filter, FilterShape configured, KeyHash hash, HashSecret secret, KeyFolding folding) {
    this.configured = configured;
    this.secret = secret;
    FilterPlan whole = FilterPlan.split(configured, 1);
    this.plan = ImagePlan.of(filter, whole, hash, secret, folding, ImagePlan.SLICE_BYTES);
  }

  /**
   * {@return whether a file begins as this form or the former one does}
   *
   * @param file the file
   */
  public static boolean isIn(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(7), US_ASCII).equals("BLOOMSN");
    }
  }

  String filter() {
    return plan.filter();
  }

  FilterShape configured() {
    return configured;
  }

  @Override
  public MembershipFilter empty() {
    return empty(configured, BlockGeometry.drawSalt());
  }

  BlockedFilter empty(FilterShape shape, long salt) {
    return new BlockedFilter(shape, plan.hasher(secret), salt);
  }

  /**
   * The plan with the configured shape, or with one that grew from it by doublings. For any other
   * number it is the configured one, so that the difference is named.
   */
  ImagePlan plan(long insertions) {
    long n = configured.expectedInsertions();
    boolean grown = insertions > n && insertions % n == 0 && Long.bitCount(insertions / n) == 1;
    return grown ? plan.with(insertions, 0) : plan;
  }

  @Override
  public Content read(Path file, Instant now, Duration maxAge) throws IOException {
    Content former = FormerSnapshot.read(file, this, now, maxAge);
    if (former != null) {
      return former;
    }
    try (FileChannel channel = FileChannel.open(file);
        InputStream in = Channels.newInputStream(channel)) {
      ByteBuffer header = ByteBuffer.wrap(in.readNBytes(HEADER_BYTES));
      if (header.capacity() < HEADER_BYTES) {
        throw new CorruptFilterException("It is truncated in its header");
      }
      if (header.getLong() != MAGIC) {
        throw new CorruptFilterException("The magic number is not that of a snapshot");
      }
      ImageSet set = manifest(channel, in, header.getLong());
      SnapshotForm.requireAge(Duration.between(set.asOf(), now), maxAge);
      set.requirePlan(plan(set.plan().insertions()));
      channel.position(HEADER_BYTES);
      BlockedFilter bits = empty(set.plan().part(), set.plan().salt());
      for (ImageSet.Slice slice : set.slices()) {
        slice.read(in, (partition, at, words) -> bits.mergeWords(at / Long.BYTES, words));
      }
      return new Content(bits, set.asOf(), set.keys(), set.position(), false);
    }
  }

  private ImageSet manifest(FileChannel channel, InputStream in, long slices) throws IOException {
    long length = channel.size() - HEADER_BYTES - slices;
    if (slices < 0 || length < 0) {
      throw new CorruptFilterException("It is truncated");
    }
    if (length > LONGEST_MANIFEST) {
      throw new CorruptFilterException("There are bytes behind its end");
    }
    channel.position(HEADER_BYTES + slices);
    ImageSet set = ImageSet.read(new String(in.readNBytes((int) length), UTF_8), secret);
    if (slices != set.plan().part().sizeBytes()) {
      throw new CorruptFilterException("The length of its slices is not that of the manifest");
    }
    return set;
  }

  @Override
  public void write(
      MembershipFilter bits,
      long keysRead,
      @Nullable String position,
      Instant now,
      OutputStream out)
      throws IOException {
    ImagePlan of = plan.with(bits.shape().expectedInsertions(), bits.salt());
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    out.write(header.putLong(MAGIC).putLong(bits.shape().sizeBytes()).array());
    List<ImageSet.Slice> slices = new ArrayList<>();
    for (int i = 0; i < of.slices(); i++) {
      slices.add(ImageWriter.write(of, i, (BlockedFilter) bits, "slice-" + i, out));
    }
    // Without the position the next process builds.
    boolean fits = position != null && !position.isEmpty() && position.length() <= LONGEST_POSITION;
    // A snapshot alone denies nothing: keys may have been added after it was written.
    ImageSet set = new ImageSet(of, now, fits ? position : null, keysRead, 0, false, slices);
    out.write(set.manifest(secret).getBytes(UTF_8));
  }
}
