package io.bloomguard.generation.internal.snapshot;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.image.ImageDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file beside a snapshot that keeps the secret of its hash: 32 hex digits, readable by its
 * owner alone.
 */
public final class SecretFile {

  private static final Logger log = LoggerFactory.getLogger(SecretFile.class);

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rw-------");

  /** A bound above the size of both forms of a secret. */
  private static final int MAX_BYTES = 128;

  private SecretFile() {}

  /**
   * {@return the file beside a snapshot}
   *
   * @param snapshot the file of the snapshot
   */
  public static Path beside(Path snapshot) {
    return snapshot.resolveSibling(snapshot.getFileName() + ".secret");
  }

  /**
   * {@return the secret in {@code file}; a new one if there is no file or it holds something else}
   *
   * <p>Access of other users to the file is removed, with a warning.
   *
   * @param file the file, which is written only for a new secret
   * @throws IOException if the file cannot be read, written or made private
   */
  public static HashSecret readOrCreate(Path file) throws IOException {
    if (Files.exists(file)) {
      makePrivate(file);
      HashSecret secret = read(file);
      if (secret != null) {
        return secret;
      }
      log.warn("The file {} holds no hash secret, so it gets a new one", file);
    }
    return create(file);
  }

  private static void makePrivate(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) {
      return;
    }
    Set<PosixFilePermission> found = view.readAttributes().permissions();
    if (!PRIVATE.containsAll(found)) {
      view.setPermissions(PRIVATE);
      log.warn(
          "The hash secret in {} was open to other users ({}), and is now open to its owner alone."
              + " Delete the file if another user may have read it: a new secret costs one warm-up",
          file,
          PosixFilePermissions.toString(found));
    }
  }

  private static @Nullable HashSecret read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      return null;
    }
    try {
      return HashSecret.parse(Files.readString(file, ISO_8859_1).strip());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static HashSecret create(Path file) throws IOException {
    HashSecret secret = HashSecret.random();
    byte[] text = (secret.toHex() + "\n").getBytes(ISO_8859_1);
    ImageDirectory.write(file, out -> out.write(text));
    return secret;
  }
}
