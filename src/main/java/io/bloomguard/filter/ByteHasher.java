package io.bloomguard.filter;

/** A hash over the bytes of a key, which it gets without an allocation wherever they are few. */
abstract class ByteHasher implements KeyHasher {

  @Override
  public final long hash(String key) {
    byte[] buffer = KeyBytes.buffer();
    int length = KeyBytes.put(key, buffer);
    if (length >= 0) {
      return hash(buffer, length);
    }
    byte[] bytes = KeyBytes.copyOf(key);
    return hash(bytes, bytes.length - KeyBytes.ROOM);
  }

  @Override
  public final long hash(long key) {
    byte[] buffer = KeyBytes.buffer();
    return hash(buffer, DecimalBytes.put(key, buffer));
  }

  /**
   * The hash of {@code bytes[0..length)}. Behind them {@link KeyBytes#ROOM} more can be read, which
   * are no part of the key.
   */
  abstract long hash(byte[] bytes, int length);
}
