package io.bloomguard.source.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    Line line = new Line();
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(path)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        int start = 0;
        for (int i = 0; i < read; i++) {
          if (buffer[i] == '\n') {
            line.add(buffer, start, i);
            line.end(sink);
            start = i + 1;
          }
        }
        line.add(buffer, start, read);
      }
    }
    line.end(sink);
  }

  /** A line as bytes, so that what cannot be decoded has a number. */
  private final class Line {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long number = 1;

    void add(byte[] from, int start, int end) {
      if (bytes.size() + end - start > MAX_LINE) {
        throw malformed("is longer than " + MAX_LINE + " bytes", null);
      }
      bytes.write(from, start, end - start);
    }

    /** Passes the line on, and begins the next one. */
    void end(KeySink sink) {
      String text = bytes.toString(UTF_8);
      // The sign for what could not be decoded, unless the file itself has it.
      String key = text.indexOf(REPLACEMENT) < 0 ? text : decodeStrictly();
      if (number == 1 && key.startsWith(BYTE_ORDER_MARK)) {
        key = key.substring(1);
      }
      if (key.endsWith("\r")) {
        key = key.substring(0, key.length() - 1);
      }
      if (!key.isBlank()) {
        sink.accept(key);
      }
      bytes.reset();
      number++;
    }

    private String decodeStrictly() {
      try {
        // New decoders report what is malformed instead of replacing it.
        return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
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
