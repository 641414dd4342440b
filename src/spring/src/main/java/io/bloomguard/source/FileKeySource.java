package io.bloomguard.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a UTF-8 text file, one a line.
 *
 * <p>Lines end with a line feed; a carriage return before it, a byte order mark at the start and
 * blank lines are no part of a key. Bytes that are not UTF-8, or a line longer than {@value
 * #MAX_LINE} bytes, are an error that names the line. Memory does not grow with the file.
 */
public final class FileKeySource implements KeySource {

  private static final int MAX_LINE = 1 << 20;
  private static final String BYTE_ORDER_MARK = "\uFEFF";
  private static final char REPLACEMENT = '\uFFFD';

  private final Path path;

  /**
   * The keys of the file that stands at {@code path} whenever a build reads it.
   *
   * @param path the file, which need not exist before a build
   */
  public FileKeySource(Path path) {
    this.path = path;
  }

  @Override
  public void forEach(KeySink sink) throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new KeySourceException("The key file " + path + " does not exist", null);
    }
    try (InputStream in = Files.newInputStream(path)) {
      Lines lines = new Lines(in);
      while (lines.next()) {
        String line = lines.decode();
        if (lines.number == 1 && line.startsWith(BYTE_ORDER_MARK)) {
          line = line.substring(1);
        }
        if (!line.isBlank()) {
          sink.accept(line);
        }
      }
    }
  }

  /** Lines as bytes, so that what cannot be decoded has a number. */
  private final class Lines {

    private final InputStream in;
    private byte[] bytes = new byte[1 << 16];
    private int read;
    private int start;
    private int end;
    private int following;
    private long number;

    Lines(InputStream in) {
      this.in = in;
    }

    /** Finds the next line; false at the end of the file. */
    boolean next() throws IOException {
      number++;
      start = following;
      int i = start;
      do {
        for (; i < read; i++) {
          if (bytes[i] == '\n') {
            return endsAt(i, i + 1);
          }
        }
        if (start > 0) {
          moveToFront();
        }
        i = read;
      } while (fill());
      return read > 0 && endsAt(read, read);
    }

    private boolean endsAt(int index, int next) {
      if (index - start > MAX_LINE) {
        throw tooLong();
      }
      end = index > start && bytes[index - 1] == '\r' ? index - 1 : index;
      following = next;
      return true;
    }

    private void moveToFront() {
      System.arraycopy(bytes, start, bytes, 0, read - start);
      read -= start;
      start = 0;
      following = 0;
    }

    /** Reads more of the line; false at the end of the file. */
    private boolean fill() throws IOException {
      if (read == bytes.length) {
        if (read > MAX_LINE) {
          throw tooLong();
        }
        bytes = Arrays.copyOf(bytes, read * 2);
      }
      int more = in.read(bytes, read, bytes.length - read);
      read += Math.max(more, 0);
      return more >= 0;
    }

    String decode() {
      String text = new String(bytes, start, end - start, UTF_8);
      // The sign for what could not be decoded, unless the file itself has it.
      return text.indexOf(REPLACEMENT) < 0 ? text : decodeStrictly();
    }

    private String decodeStrictly() {
      try {
        // New decoders report what is malformed instead of replacing it.
        return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, start, end - start)).toString();
      } catch (CharacterCodingException e) {
        throw malformed("is not UTF-8", e);
      }
    }

    private KeySourceException tooLong() {
      return malformed("is longer than " + MAX_LINE + " bytes", null);
    }

    private KeySourceException malformed(String what, @Nullable Throwable cause) {
      return new KeySourceException(
          "Line " + number + " of the key file " + path + " " + what, cause);
    }
  }
}
