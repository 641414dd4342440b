package io.bloomguard.classic.internal.subject;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.redis.internal.client.Utf8;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;

/**
 * The form of each subject's image: a string of a 64-byte header, the filter's words, and a 16-byte
 * trailer, all in big-endian 64-bit words.
 *
 * <p>Header: seal, magic with the format version, fingerprint digest, subject, time of creation,
 * time until which keys may be missing, added keys, set bits. Trailer: time of creation, seal.
 * Times are Redis' milliseconds. The seal is a mix of magic, digest and subject, so that a
 * truncated string, or that of another subject, filter or shape, lacks one of both ends.
 */
final class SubjectImage {

  static final int HEADER_BYTES = 8 * Long.BYTES;

  /** Header and trailer. */
  static final int FRAME_BYTES = HEADER_BYTES + 2 * Long.BYTES;

  /** The header's word that counts set bits. */
  static final int BITS_WORD = 7;

  /** The version of this form, the last character of the magic. */
  private static final int FORMAT_VERSION = 1;

  private static final long MAGIC =
      ByteBuffer.wrap(Utf8.bytes("BLOOMSB" + FORMAT_VERSION)).getLong();

  private final FilterShape shape;
  private final BlockGeometry geometry;
  private final long digest;

  SubjectImage(Fingerprint fingerprint) {
    this.shape = fingerprint.shape();
    this.geometry = new BlockGeometry(shape);
    this.digest = fingerprint.digest();
  }

  FilterShape shape() {
    return shape;
  }

  /** The properties on which all processes that share the filter must agree. */
  String fingerprint() {
    return HexFormat.of().toHexDigits(digest);
  }

  /** The bytes of the string. */
  long size() {
    return FRAME_BYTES + shape.sizeBytes();
  }

  /** The first 32 bytes of a subject's image, which identify it. */
  byte[] front(long subject) {
    return ByteBuffer.allocate(4 * Long.BYTES)
        .putLong(mix(mix(digest ^ MAGIC) ^ subject))
        .putLong(MAGIC)
        .putLong(digest)
        .putLong(subject)
        .array();
  }

  int bitsOfKey() {
    return shape.hashes();
  }

  int blockBytes() {
    return geometry.blockWords() * Long.BYTES;
  }

  /** The byte of the string at which the block of each hash begins (u32). */
  byte[] blocks(List<Long> hashes) {
    ByteBuffer blocks = ByteBuffer.allocate(hashes.size() * Integer.BYTES);
    for (long hash : hashes) {
      blocks.putInt((int) firstByte(hash));
    }
    return blocks.array();
  }

  private long firstByte(long hash) {
    return HEADER_BYTES + geometry.blockIndex(hash) * blockBytes();
  }

  /**
   * The bits of the string that belong to each hash, as Redis counts them (u32): {@link
   * #bitsOfKey()} of each, some of them twice if the hash has fewer.
   */
  byte[] bits(List<Long> hashes) {
    ByteBuffer bits = ByteBuffer.allocate(hashes.size() * bitsOfKey() * Integer.BYTES);
    long[] masks = new long[geometry.blockWords()];
    for (long hash : hashes) {
      geometry.masks(hash, masks);
      int left = bitsOfKey();
      long last = 0;
      for (int word = 0; word < masks.length; word++) {
        for (long mask = masks[word]; mask != 0; mask &= mask - 1) {
          last = bit(hash, word, Long.numberOfTrailingZeros(mask));
          bits.putInt((int) last);
          left--;
        }
      }
      for (; left > 0; left--) {
        bits.putInt((int) last);
      }
    }
    return bits.array();
  }

  /** Redis counts the bits of a byte from its highest, and the words are big-endian. */
  private long bit(long hash, int word, int bit) {
    return (firstByte(hash) + (long) word * Long.BYTES) * Byte.SIZE + Long.SIZE - 1 - bit;
  }

  /** Whether the {@code at}-th of the blocks read has all bits of a hash. */
  boolean has(long hash, ByteBuffer blocks, int at, long[] masks) {
    geometry.masks(hash, masks);
    for (int word = 0; word < masks.length; word++) {
      long held = blocks.getLong(at * blockBytes() + word * Long.BYTES);
      if ((held & masks[word]) != masks[word]) {
        return false;
      }
    }
    return true;
  }

  long[] masks() {
    return new long[geometry.blockWords()];
  }

  /** The index in the filter of the first bit of a hash's block. */
  long firstBit(long hash) {
    return geometry.blockIndex(hash) * blockBytes() * Byte.SIZE;
  }

  /** The finaliser of MurmurHash3. */
  private static long mix(long value) {
    long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
