package io.bloomguard.server;

import java.util.concurrent.atomic.AtomicLong;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * The bound on the heap that all batches of the membership API take at once, half-sent ones too.
 */
final class BatchMemory {

  /** The bytes of a call before its first key: the buffers of parser and connection. */
  private static final long CALL = 16 * 1024;

  /** A string and its place in a list besides its characters, which take two bytes at most. */
  private static final long KEY = 64;

  private final long bound;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param bound in bytes
   */
  BatchMemory(long bound) {
    this.bound = bound;
  }

  /**
   * Begins a batch.
   *
   * @throws ResponseStatusException 503 if the bound is reached
   */
  Share open() {
    Share share = new Share();
    share.take(CALL);
    return share;
  }

  /** Bytes that the batches under way have taken. */
  long taken() {
    return taken.get();
  }

  /** The memory that one batch has taken, of one thread. */
  final class Share implements AutoCloseable {

    private long mine;

    private Share() {}

    /**
     * Makes room for a key.
     *
     * @param length in characters
     * @throws ResponseStatusException 503 if the bound is reached
     */
    void key(int length) {
      take(KEY + 2L * length);
    }

    private void take(long bytes) {
      if (taken.addAndGet(bytes) > bound) {
        taken.addAndGet(-bytes);
        throw new FullException();
      }
      mine += bytes;
    }

    @Override
    public void close() {
      taken.addAndGet(-mine);
      mine = 0;
    }
  }

  private static final class FullException extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    FullException() {
      super(
          HttpStatus.SERVICE_UNAVAILABLE,
          "The calls under way hold as many keys as this server keeps at once");
    }

    @Override
    public HttpHeaders getHeaders() {
      HttpHeaders headers = new HttpHeaders();
      headers.set(HttpHeaders.RETRY_AFTER, "1");
      return headers;
    }
  }
}
