package io.bloomguard.redis.internal.cache;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The header of a value that falls due before it ends: a byte that no value begins with, and two
 * longs.
 *
 * @param staleTime from its soft limit to its end, kept in ms
 * @param version random, another for each value
 */
record DueHeader(Duration staleTime, long version) {

  private static final byte MARK = 1;
  private static final int LENGTH = 1 + 2 * Long.BYTES;

  byte[] before(byte[] value) {
    return ByteBuffer.allocate(LENGTH + value.length)
        .put(MARK)
        .putLong(staleTime.toMillis())
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
    return new DueHeader(staleTime, header.getLong());
  }

  /** The value in stored bytes, with or without a header. */
  static byte[] without(byte[] stored) {
    return isBefore(stored) ? Arrays.copyOfRange(stored, LENGTH, stored.length) : stored;
  }

  private static boolean isBefore(byte[] stored) {
    return stored.length >= LENGTH && stored[0] == MARK;
  }
}
