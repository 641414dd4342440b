package io.bloomguard.server;

import jakarta.servlet.http.HttpServletRequest;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * The body {@code {"keys": [...]}} of a call: strings and integral numbers, in their order, and
 * besides them {@code "subject"}, where the filter has one for each subject.
 *
 * <p>It is read as a stream, so that a body or a key that is too long is refused before it is in
 * memory, and one that comes too slowly before it has held its share of the heap for long. No
 * message names a key, only its index.
 */
record KeyBatch(List<Object> keys, @Nullable String subject) {

  /** The most keys of one call. */
  static final int MAX_KEYS = 10_000;

  /** How long a body may take to arrive. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The longest body in bytes: {@link #MAX_KEYS} keys of 256 bytes, each escaped six-fold. */
  static final int MAX_BYTES = 16 * 1024 * 1024;

  /** In characters, so that a name that is not known is still told from one that is too long. */
  private static final int MAX_NAME = 256;

  private static final String FIELD = "keys";
  private static final String SUBJECT = "subject";

  /** In characters; the guard says what a subject must look like. */
  private static final int MAX_SUBJECT = 256;

  /** One for each length that is configured. */
  private static final ConcurrentMap<Integer, JsonFactory> JSON = new ConcurrentHashMap<>();

  /**
   * The body of a request: each key is a {@code String}, {@code Integer}, {@code Long} or {@code
   * BigInteger}.
   *
   * @param allowed the query string that the call may have, empty for none
   * @param maxLength the longest key in bytes of UTF-8, which has no more characters
   * @param memory makes room for each key
   * @param patience how long the body may take to arrive
   * @throws ResponseStatusException 400 naming what was wrong, 408, 413 or 503
   */
  static KeyBatch read(
      HttpServletRequest request,
      String allowed,
      int maxLength,
      BatchMemory.Share memory,
      Duration patience)
      throws IOException {
    String query = request.getQueryString();
    if (query != null && !query.isEmpty() && !query.equals(allowed)) {
      throw badRequest(
          "Query parameters"
              + (allowed.isEmpty() ? "" : " other than " + allowed)
              + " are refused: keys belong in the JSON body");
    }
    if (request.getContentLengthLong() > MAX_BYTES) {
      throw tooLong();
    }
    List<Object> keys = new ArrayList<>();
    try (JsonParser parser =
        json(maxLength)
            .createParser(
                ObjectReadContext.empty(), new Bounded(request.getInputStream(), patience))) {
      String subject = readBody(parser, keys, maxLength, memory);
      return new KeyBatch(keys, subject);
    } catch (StreamConstraintsException e) {
      throw tooLongAt(keys.size(), maxLength);
    } catch (JacksonException e) {
      if (e.getCause() instanceof BodyTooLongException) {
        throw tooLong();
      }
      if (e.getCause() instanceof BodyTooSlowException) {
        throw new ResponseStatusException(
            HttpStatus.REQUEST_TIMEOUT, "The body took longer than " + patience + " to arrive");
      }
      throw badRequest("The body is no well-formed JSON" + position(e));
    }
  }

  private static JsonFactory json(int maxLength) {
    return JSON.computeIfAbsent(
        maxLength,
        length ->
            JsonFactory.builder()
                .streamReadConstraints(
                    StreamReadConstraints.builder()
                        .maxStringLength(Math.max(length, MAX_SUBJECT))
                        .maxNameLength(MAX_NAME)
                        .build())
                .build());
  }

  /** Reads the keys, and returns the subject. */
  private static @Nullable String readBody(
      JsonParser parser, List<Object> keys, int maxLength, BatchMemory.Share memory) {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw badRequest("The body must be a JSON object with the field 'keys'");
    }
    boolean read = false;
    String subject = null;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      if (SUBJECT.equals(parser.currentName())) {
        if (subject != null) {
          throw badRequest("The body has the field 'subject' twice");
        }
        if (parser.nextToken() != JsonToken.VALUE_STRING) {
          throw badRequest("'subject' must be a string");
        }
        subject = parser.getString();
        continue;
      }
      if (!FIELD.equals(parser.currentName())) {
        throw badRequest("The body has an unknown field; it may have 'keys' and 'subject'");
      }
      if (read) {
        throw badRequest("The body has the field 'keys' twice");
      }
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw badRequest("'keys' must be an array");
      }
      readKeys(parser, keys, maxLength, memory);
      read = true;
    }
    if (!read) {
      throw badRequest("The body lacks the field 'keys'");
    }
    if (parser.nextToken() != null) {
      throw badRequest("The body has content after its JSON object");
    }
    return subject;
  }

  private static void readKeys(
      JsonParser parser, List<Object> keys, int maxLength, BatchMemory.Share memory) {
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      if (keys.size() == MAX_KEYS) {
        throw new ResponseStatusException(
            HttpStatus.CONTENT_TOO_LARGE, "A call takes at most " + MAX_KEYS + " keys");
      }
      Object key = key(parser, token, keys.size());
      // An int and a long need no more room than any key.
      int length = key instanceof Integer || key instanceof Long ? 0 : parser.getStringLength();
      if (length > maxLength) {
        throw tooLongAt(keys.size(), maxLength);
      }
      memory.key(length);
      keys.add(key);
    }
  }

  private static Object key(JsonParser parser, JsonToken token, int index) {
    return switch (token) {
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getNumberValue();
      default ->
          throw badRequest("The key at index " + index + " must be a string or an integral number");
    };
  }

  private static String position(JacksonException e) {
    return e.getLocation() == null
        ? ""
        : ": line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr();
  }

  private static ResponseStatusException badRequest(String detail) {
    return new ResponseStatusException(HttpStatus.BAD_REQUEST, detail);
  }

  private static ResponseStatusException tooLongAt(int index, int maxLength) {
    return badRequest(
        "The key at index "
            + index
            + ", a field name or the subject is too long; a key has at most "
            + maxLength
            + " bytes");
  }

  private static ResponseStatusException tooLong() {
    return new ResponseStatusException(
        HttpStatus.CONTENT_TOO_LARGE, "The body is longer than " + MAX_BYTES + " bytes");
  }

  /** Says that the body passed its bound. */
  private static final class BodyTooLongException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Says that the body took too long to arrive. */
  private static final class BodyTooSlowException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Fails once more than {@link #MAX_BYTES} have been read, or its time is over. */
  private static final class Bounded extends FilterInputStream {

    private final long begin = System.nanoTime();
    private final long patience;
    private int left = MAX_BYTES;

    Bounded(InputStream in, Duration patience) {
      super(in);
      this.patience = patience.toNanos();
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      if (value >= 0) {
        count(1);
      }
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = super.read(buffer, offset, length);
      if (read > 0) {
        count(read);
      }
      return read;
    }

    private void count(int bytes) throws IOException {
      left -= bytes;
      if (left < 0) {
        throw new BodyTooLongException();
      }
      if (System.nanoTime() - begin > patience) {
        throw new BodyTooSlowException();
      }
    }
  }
}
