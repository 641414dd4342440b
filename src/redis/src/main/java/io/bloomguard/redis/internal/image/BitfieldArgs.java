package io.bloomguard.redis.internal.image;

import io.bloomguard.redis.internal.client.Utf8;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The arguments of one BITFIELD_RO that reads 64-bit words of a string: a key, then {@code GET i64
 * #<index>} for each word, kept in their wire format, without an object for each.
 */
final class BitfieldArgs extends CommandArgs<byte[], byte[]> {

  private static final byte[] GET = Utf8.bytes("$3\r\nGET\r\n$3\r\ni64\r\n$");
  private static final byte[] NEW_LINE = {'\r', '\n'};

  /** The most bytes of one word: its constant part, and {@code 20\r\n#<19 digits>\r\n}. */
  private static final int MOST_BYTES = GET.length + 26;

  private final byte[] key;
  private byte[] encoded;
  private int length;
  private int words;

  /** Creates arguments that read no word of the string at a key. */
  BitfieldArgs(byte[] key) {
    super(ByteArrayCodec.INSTANCE);
    this.key = key;
    this.encoded = new byte[key.length + 16 + 2 * MOST_BYTES];
    put('$');
    decimal(key.length);
    put(NEW_LINE);
    put(key);
    put(NEW_LINE);
  }

  /** Copies other arguments, with room for so many words more. */
  BitfieldArgs(BitfieldArgs first, int more) {
    super(ByteArrayCodec.INSTANCE);
    this.key = first.key;
    this.encoded = Arrays.copyOf(first.encoded, first.length + more * MOST_BYTES);
    this.length = first.length;
    this.words = first.words;
  }

  /** Appends the word of an index. */
  void word(long index) {
    if (encoded.length - length < MOST_BYTES) {
      encoded = Arrays.copyOf(encoded, 2 * encoded.length + MOST_BYTES);
    }
    put(GET);
    decimal(1 + digits(index));
    put(NEW_LINE);
    put('#');
    decimal(index);
    put(NEW_LINE);
    words++;
  }

  @Override
  public int count() {
    return 1 + 3 * words;
  }

  @Override
  public void encode(ByteBuf buffer) {
    buffer.writeBytes(encoded, 0, length);
  }

  /** A cluster's client finds the slot by this. */
  @Override
  public ByteBuffer getFirstEncodedKey() {
    return ByteBuffer.wrap(key);
  }

  private void put(char character) {
    encoded[length++] = (byte) character;
  }

  private void put(byte[] bytes) {
    System.arraycopy(bytes, 0, encoded, length, bytes.length);
    length += bytes.length;
  }

  private void decimal(long number) {
    int end = length + digits(number);
    length = end;
    do {
      encoded[--end] = (byte) ('0' + number % 10);
      number /= 10;
    } while (number > 0);
  }

  private static int digits(long number) {
    int digits = 1;
    for (long rest = number / 10; rest > 0; rest /= 10) {
      digits++;
    }
    return digits;
  }
}
