package io.bloomguard.generation.snapshot;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.GuavaFilter;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyFunnel;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * A snapshot in Guava's own serial form, written by any program.
 *
 * <p>The form has no checksum, no time and no name: its age is that of the file, and a file that
 * changes during the reading is read again. The file cannot prove the meaning of its bits.
 */
final class GuavaSnapshot {

  /** The most readings of a file that changes meanwhile. */
  private static final int READINGS = 3;

  /** The share of the heap that its bits may take. */
  private static final int HEAP_SHARE = 4;

  private final Path file;
  private final FilterShape configured;
  private final KeyFolding folding;
  private final KeyFunnel funnel;
  private final long mostBytes;

  GuavaSnapshot(Path file, FilterShape configured, KeyFolding folding, KeyFunnel funnel) {
    this(file, configured, folding, funnel, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /**
   * @param configured supplies n and p, which the file lacks
   * @param mostBytes the most bytes of bits that are read
   */
  GuavaSnapshot(
      Path file, FilterShape configured, KeyFolding folding, KeyFunnel funnel, long mostBytes) {
    this.file = file;
    this.configured = configured;
    this.folding = folding;
    this.funnel = funnel;
    this.mostBytes = mostBytes;
  }

  /**
   * Reads the file, if it is not older than {@code maxAge}.
   *
   * @throws java.nio.file.NoSuchFileException if there is no file
   * @throws CorruptFilterException if it is damaged, truncated, too large, too old or of the
   *     future, or keeps changing
   */
  SnapshotFile.Content read(Instant now, Duration maxAge) throws IOException {
    for (int reading = 0; reading < READINGS; reading++) {
      Stamp before = Stamp.of(file);
      SnapshotFile.requireAge(Duration.between(before.written(), now), maxAge);
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
        return new SnapshotFile.Content(bits, before.written(), 0);
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
