package io.bloomguard.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * The place of an image set: a directory, or the objects below a prefix of an object store.
 *
 * <p>Names are relative, with {@code /} between their parts.
 */
public interface ImageStorage {

  /**
   * {@return the content of a file, which the caller closes}
   *
   * @param name its name
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws IOException if it cannot be read
   */
  InputStream open(String name) throws IOException;

  /**
   * {@return a stream into a new file, which is there, whole and durable once the stream is closed}
   *
   * @param name its name, which no file has
   * @throws IOException if it cannot be written
   */
  OutputStream create(String name) throws IOException;

  /**
   * Puts a small file in place of the one of that name, by one rename or one put: a reader finds
   * the former content or the new one.
   *
   * @param name its name
   * @param content the new content
   * @throws IOException if it cannot be written
   */
  void replace(String name, byte[] content) throws IOException;

  /**
   * {@return the names of the files in a folder; none if there is no such folder}
   *
   * @param folder its name
   * @throws IOException if it cannot be read
   */
  List<String> list(String folder) throws IOException;

  /**
   * Deletes a file, if it is there.
   *
   * @param name its name
   * @throws IOException if it cannot be deleted
   */
  void delete(String name) throws IOException;
}
