package io.bloomguard.redis.cache;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The header of a value that falls due before it ends: a byte that no value begins with, and three
 * longs.
 *
 * @param staleTime from its soft limit to its end, kept in ms; zero if it has no such limit
 * @param loadTime the duration of its load, kept in microseconds
 * @param version random, another for each value
 */
record DueHeader(Duration staleTime, Duration loadTime, long version) {

  private static final byte MARK = 1;
  private static final int LENGTH = 1 + 3 * Long.BYTES;

  byte[] before(byte[] value) {
    return ByteBuffer.allocate(LENGTH + value.length)
        .put(MARK)
        .putLong(staleTime.toMillis())
        .putLong(loadTime.toNanos() / 1_000)
        .putLong(version)
        .put(value)
        .array();
  }

  /** The header of a stored value, null for a value without one. */
  static @Nullable DueHeader of(byte[] stored) {
    if (!isBefore(stored)) {
      return null;
    }
    ByteBuffer header = ByteBuffer.wrap(stored, 1, LENGTH - 1);
    Duration staleTime = Duration.ofMillis(header.getLong());
    Duration loadTime = Duration.ofNanos(header.getLong() * 1_000);
    return new DueHeader(staleTime, loadTime, header.getLong());
  }

  /** The value in stored bytes, with or without a header. */
  static byte[] without(byte[] stored) {
    return isBefore(stored) ? Arrays.copyOfRange(stored, LENGTH, stored.length) : stored;
  }

  private static boolean isBefore(byte[] stored) {
    return stored.length >= LENGTH && stored[0] == MARK;
  }
}
