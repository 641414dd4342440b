package io.bloomguard.image;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A directory of this machine as the place of an image set. Its files are readable by their owner
 * alone, where the file system knows owners.
 */
public final class ImageDirectory implements ImageStorage {

  private static final int BUFFER_BYTES = 1 << 16;
  private static final String TEMPORARY = ".tmp";

  private final Path root;

  /**
   * The files below a directory.
   *
   * @param root the directory, which is there
   */
  public ImageDirectory(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  private Path path(String name) {
    Path path = root.resolve(name).normalize();
    if (!path.startsWith(root)) {
      throw new IllegalArgumentException("The name '" + name + "' leads out of the directory");
    }
    return path;
  }

  @Override
  public InputStream open(String name) throws IOException {
    return Files.newInputStream(path(name));
  }

  @Override
  public void write(String name, Content content) throws IOException {
    Path file = path(name);
    if (!root.equals(file.getParent())) {
      Files.createDirectories(folder(file));
    }
    write(file, content);
  }

  private static Path folder(Path file) {
    return Objects.requireNonNull(file.getParent(), "An absolute file has a directory");
  }

  /**
   * Puts a file in place of the one of that name, if there is one. A reader finds the former
   * content or the new one, whole; if this fails, the former one.
   *
   * @param path the file, in a directory that is there
   * @param content writes the new content
   * @throws IOException if it cannot be written
   */
  public static void write(Path path, Content content) throws IOException {
    Path file = path.toAbsolutePath();
    Path folder = folder(file);
    Path temporary = Files.createTempFile(folder, file.getFileName() + ".", TEMPORARY);
    try {
      try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        OutputStream out =
            new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
        content.writeTo(out);
        out.flush();
        channel.force(true);
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
    force(folder);
  }

  /** Forces a directory, if the system can, so that a new name outlives a crash of the machine. */
  private static void force(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // Otherwise a crash may bring back the former file, which is complete too.
    }
  }

  @Override
  public List<String> list(String folder) throws IOException {
    try (Stream<Path> files = Files.list(path(folder))) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> folder + "/" + file.getFileName())
          .sorted()
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(path(name));
  }
}
