package io.bloomguard.filter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The UTF-8 bytes of keys, in a buffer for each thread, so that hashing a key allocates nothing.
 *
 * <p>Behind the bytes there is room for another eight, so that a hash reads whole words and masks
 * the bytes that are not the key's. A key too long for the buffer gets an array of its own.
 */
final class KeyBytes {

  /** The readable bytes behind the last byte of a key. */
  static final int ROOM = Long.BYTES;

  private static final int CAPACITY = 512;
  private static final int MOST_BYTES_A_CHAR = 3;
  private static final int REPLACEMENT = '?';

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final ThreadLocal<byte[]> BUFFER =
      ThreadLocal.withInitial(() -> new byte[CAPACITY + ROOM]);

  private KeyBytes() {}

  /** The calling thread's buffer; its content lasts until the thread's next key. */
  static byte[] buffer() {
    return BUFFER.get();
  }

  /**
   * Puts a key into the thread's buffer. An unpaired surrogate is a question mark, as in {@link
   * String#getBytes}.
   *
   * @return how many bytes it has; -1 if it may be longer than the buffer
   */
  static int put(String key, byte[] buffer) {
    int length = key.length();
    if (length > CAPACITY) {
      return -1;
    }
    copyLowBytes(key, length, buffer);
    int seen = 0;
    for (int i = 0; i < length; i++) {
      seen |= key.charAt(i);
    }
    return seen < 0x80 ? length : putUtf8(key, buffer);
  }

  /** The bytes of a key of any length, and the room behind them, in an array of their own. */
  static byte[] copyOf(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(bytes, bytes.length + ROOM);
  }

  /**
   * The method is deprecated because it drops the high bytes of characters, which is why the caller
   * looks at the characters too; both together are faster than taking them one by one.
   */
  @SuppressWarnings("deprecation")
  private static void copyLowBytes(String key, int length, byte[] buffer) {
    key.getBytes(0, length, buffer, 0);
  }

  private static int putUtf8(String key, byte[] buffer) {
    if (key.length() * MOST_BYTES_A_CHAR > CAPACITY) {
      return -1;
    }
    int end = 0;
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c < 0x80) {
        buffer[end++] = (byte) c;
      } else if (c < 0x800) {
        buffer[end++] = (byte) (0xc0 | c >>> 6);
        buffer[end++] = continuation(c);
      } else if (!Character.isSurrogate(c)) {
        buffer[end++] = (byte) (0xe0 | c >>> 12);
        buffer[end++] = continuation(c >>> 6);
        buffer[end++] = continuation(c);
      } else {
        int point = key.codePointAt(i);
        if (point == c) {
          buffer[end++] = REPLACEMENT;
        } else {
          buffer[end++] = (byte) (0xf0 | point >>> 18);
          buffer[end++] = continuation(point >>> 12);
          buffer[end++] = continuation(point >>> 6);
          buffer[end++] = continuation(point);
          i++;
        }
      }
    }
    return end;
  }

  private static byte continuation(int bits) {
    return (byte) (0x80 | bits & 0x3f);
  }

  /** The eight bytes from {@code index} on, the first one lowest. */
  static long word(byte[] bytes, int index) {
    return (long) WORDS.get(bytes, index);
  }
}
