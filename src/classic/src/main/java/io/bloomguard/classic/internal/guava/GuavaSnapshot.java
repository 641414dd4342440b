package io.bloomguard.classic.internal.guava;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyFunnel;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.SnapshotForm;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot in Guava's own serial form, written by any program.
 *
 * <p>The form has no checksum, no time and no name: its age is that of the file, and a file that
 * changes during the reading is read again. The file cannot prove the meaning of its bits.
 *
 * @param configured supplies n and p, which the file lacks
 * @param folding the rule by which keys are equal
 * @param funnel the funnel of its keys, which the other programs share
 * @param mostBytes the most bytes of bits that are read
 */
public record GuavaSnapshot(
    FilterShape configured, KeyFolding folding, KeyFunnel funnel, long mostBytes)
    implements SnapshotForm {

  /** The most readings of a file that changes meanwhile. */
  private static final int READINGS = 3;

  /** The share of the heap that its bits may take. */
  private static final int HEAP_SHARE = 4;

  /** Reads no bits that would fill the heap. */
  public GuavaSnapshot(FilterShape configured, KeyFolding folding, KeyFunnel funnel) {
    this(configured, folding, funnel, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  @Override
  public MembershipFilter empty() {
    return GuavaFilter.create(configured, folding, funnel);
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public void write(
      MembershipFilter bits,
      long keysRead,
      @Nullable String position,
      Instant now,
      OutputStream out)
      throws IOException {
    ((GuavaFilter) bits).writeBits(out);
  }

  @Override
  public boolean proves(MembershipFilter bits, List<String> keys) throws CorruptFilterException {
    long found = keys.stream().filter(bits::mightContain).count();
    FunnelEvidence evidence =
        new FunnelEvidence(keys.size(), found, bits.expectedFalsePositiveProbability());
    if (evidence.refutes()) {
      throw new CorruptFilterException(
          ("only %s of the first %s keys of the source are in it: it was filled with another"
                  + " funnel, or other keys")
              .formatted(found, keys.size()));
    }
    return evidence.proves();
  }

  @Override
  public Content read(Path file, Instant now, Duration maxAge) throws IOException {
    if (BlockedSnapshot.isIn(file)) {
      // A file in Guava's serial form begins with 0 or 1.
      throw new CorruptFilterException(
          "It is a snapshot of this library's own: its layout is BLOCKED or COUNTING, expected"
              + " GUAVA");
    }
    for (int reading = 0; reading < READINGS; reading++) {
      Stamp before = Stamp.of(file);
      SnapshotForm.requireAge(Duration.between(before.written(), now), maxAge);
      GuavaFilter bits = null;
      IOException damage = null;
      // The size of the open file: another file may have taken the name since.
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
          InputStream in = new BufferedInputStream(Channels.newInputStream(channel))) {
        bits = GuavaFilter.readWhole(in, channel.size(), mostBytes, configured, folding, funnel);
      } catch (CorruptFilterException e) {
        damage = e;
      }
      if (before.equals(Stamp.of(file))) {
        if (bits == null) {
          throw damage;
        }
        return new Content(bits, before.written(), 0, null, false);
      }
    }
    throw new CorruptFilterException(
        "It changed while it was read, " + READINGS + " times: another program writes it");
  }

  /**
   * The marks by which two versions of a file differ.
   *
   * @param key the identity of the file, which changes when the file is replaced
   */
  private record Stamp(FileTime modified, long size, String key) {

    static Stamp of(Path file) throws IOException {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(
          attributes.lastModifiedTime(), attributes.size(), String.valueOf(attributes.fileKey()));
    }

    Instant written() {
      return modified.toInstant();
    }
  }
}
