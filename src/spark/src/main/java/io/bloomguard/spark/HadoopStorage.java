package io.bloomguard.spark;

import io.bloomguard.image.ImageStorage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/** A folder of a Hadoop file system, such as HDFS, an object store or a local disk. */
final class HadoopStorage implements ImageStorage {

  /** Object stores, where a put is atomic and a rename is a copy. */
  private static final Set<String> PUTS = Set.of("s3", "s3a", "s3n", "gs", "abfs", "abfss", "oss");

  private final Path root;
  private final Configuration settings;
  private final FileSystem files;

  HadoopStorage(String root, Configuration settings) throws IOException {
    this.root = new Path(root);
    this.settings = settings;
    this.files = this.root.getFileSystem(settings);
    // The manifest has checksums of its own.
    files.setWriteChecksum(false);
  }

  private Path path(String name) {
    return new Path(root, name);
  }

  @Override
  public InputStream open(String name) throws IOException {
    try {
      return files.open(path(name));
    } catch (FileNotFoundException e) {
      NoSuchFileException missing = new NoSuchFileException(path(name).toString());
      missing.initCause(e);
      throw missing;
    }
  }

  @Override
  public void write(String name, Content content) throws IOException {
    Path file = path(name);
    String scheme = files.getUri().getScheme().toLowerCase(Locale.ROOT);
    Path written = PUTS.contains(scheme) ? file : path(name + "." + UUID.randomUUID() + ".tmp");
    try (OutputStream out = files.create(written, true)) {
      content.writeTo(out);
    }
    if (!written.equals(file)) {
      FileContext.getFileContext(files.getUri(), settings)
          .rename(files.makeQualified(written), files.makeQualified(file), OVERWRITE);
    }
  }

  private static final Options.Rename OVERWRITE = Options.Rename.OVERWRITE;

  @Override
  public List<String> list(String folder) throws IOException {
    return names(folder, false);
  }

  /** The names of the folders in the root. */
  List<String> folders() throws IOException {
    return names("", true);
  }

  private List<String> names(String folder, boolean directories) throws IOException {
    List<String> names = new ArrayList<>();
    try {
      for (FileStatus file : files.listStatus(folder.isEmpty() ? root : path(folder))) {
        if (file.isDirectory() == directories) {
          String name = file.getPath().getName();
          names.add(folder.isEmpty() ? name : folder + "/" + name);
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    names.sort(null);
    return names;
  }

  /** Whether a file is there with that length. */
  boolean has(String name, long bytes) throws IOException {
    try {
      return files.getFileStatus(path(name)).getLen() == bytes;
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  @Override
  public void delete(String name) throws IOException {
    files.delete(path(name), true);
  }
}
