package io.bloomguard.image;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * The place of an image set: a directory, or the objects below a prefix of an object store.
 *
 * <p>Names are relative, with {@code /} between their parts.
 */
public interface ImageStorage extends ImageSet.Files {

  /**
   * Puts a file in place of the one of that name, if there is one. A reader finds the former
   * content or the new one, whole; if this fails, the former one.
   *
   * @param name its name
   * @param content writes the new content
   * @throws IOException if it cannot be written
   */
  void write(String name, Content content) throws IOException;

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

  /** The content of a file that is being written. */
  @FunctionalInterface
  interface Content {

    /**
     * Writes all of it.
     *
     * @param out gets it; it is not closed
     * @throws IOException if it cannot be written
     */
    void writeTo(OutputStream out) throws IOException;
  }
}
