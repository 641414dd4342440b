package io.bloomguard.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
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

  private final Path path;

  /** The keys of the file that stands at {@code path} whenever a build reads it. */
  public FileKeySource(Path path) {
    this.path = path;
  }

  @Override
  public void forEach(KeySink sink) throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new KeySourceException("The key file " + path + " does not exist", null);
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
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
    // New decoders report what is malformed instead of replacing it.
    private final CharsetDecoder decoder = UTF_8.newDecoder();
    private byte[] bytes = new byte[256];
    private int length;
    private long number;

    Lines(InputStream in) {
      this.in = in;
    }

    /** Reads the next line; false at the end of the file. */
    boolean next() throws IOException {
      length = 0;
      number++;
      int read;
      while ((read = in.read()) >= 0 && read != '\n') {
        append((byte) read);
      }
      return read >= 0 || length > 0;
    }

    private void append(byte next) {
      if (length == bytes.length) {
        if (length == MAX_LINE) {
          throw malformed("is longer than " + MAX_LINE + " bytes", null);
        }
        bytes = Arrays.copyOf(bytes, length * 2);
      }
      bytes[length++] = next;
    }

    String decode() {
      int end = length > 0 && bytes[length - 1] == '\r' ? length - 1 : length;
      try {
        return decoder.decode(ByteBuffer.wrap(bytes, 0, end)).toString();
      } catch (CharacterCodingException e) {
        throw malformed("is not UTF-8", e);
      }
    }

    private KeySourceException malformed(String what, @Nullable Throwable cause) {
      return new KeySourceException(
          "Line " + number + " of the key file " + path + " " + what, cause);
    }
  }
}
