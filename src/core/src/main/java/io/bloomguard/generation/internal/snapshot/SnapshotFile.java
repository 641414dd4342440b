package io.bloomguard.generation.internal.snapshot;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.internal.MembershipFilter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
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
import org.jspecify.annotations.Nullable;

/**
 * The file of a snapshot, in any form.
 *
 * <p>It is written beside its place, forced to the disk and renamed, so a reader finds the former
 * one or the new one, whole. Neither way takes memory that grows with the filter, apart from the
 * filter itself.
 */
final class SnapshotFile {

  private static final int BUFFER_BYTES = 1 << 16;
  private static final String TEMPORARY = ".tmp";

  private final Path file;
  private final SnapshotForm form;

  SnapshotFile(Path file, SnapshotForm form) {
    this.file = file.toAbsolutePath();
    this.form = form;
  }

  Path path() {
    return file;
  }

  /** Writes a filter, with every add that returned before the call, in place of the former file. */
  void write(MembershipFilter bits, long keysRead, @Nullable String position, Instant now)
      throws IOException {
    // Readable by its owner alone, if the file system knows owners.
    Path temporary = Files.createTempFile(directory(), name() + ".", TEMPORARY);
    try {
      try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        OutputStream out =
            new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
        form.write(bits, keysRead, position, now, out);
        out.flush();
        channel.force(true);
      }
      if (form.isShared()) {
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
  SnapshotForm.Content read(Instant now, Duration maxAge) throws IOException {
    return form.read(file, now, maxAge);
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
}
